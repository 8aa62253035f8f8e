import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { jobsOf } from '../../src/lake/lake-jobs.ts'
import { verifyInLake } from '../../src/lake/lake-tables.ts'
import { leaseAccount } from '../../src/lake/leases.ts'
import { repair } from '../../src/lake/repair-lake.ts'
import { resources } from '../../src/resources/index.ts'
import { Lake, lakeSchema } from '../../src/settings/lake.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import type { Warehouse } from '../../src/warehouse/warehouse.ts'
import { hasLake, PASSWORD, type Postgres, postgresOfTests } from '../support/lake.ts'
import { networkTo } from '../support/network-cut.ts'
import { openReader, openWarehouse, type Reader } from '../support/storage.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

/** One server for the tests of this file. */
const postgres = hasLake ? postgresOfTests() : ({} as Postgres)

const TEXTS = [
  "it's 'quoted' \"twice\" \\ $$ -- ; drop table incidents",
  'a NUL \u0000 in the middle',
  '\u202eright to left\u2066 \u200f שלום',
  '\ud83d\ude00 and \u001b]0;title\u0007',
  '',
]

describe.runIf(hasLake)('a lake', () => {
  /** Opens an account, and stores an incident for each title. */
  async function settled(lake: Lake, accountId: bigint, titles: readonly string[]): Promise<Warehouse> {
    const warehouse = await openWarehouse(lake, resources, { accountId })
    await sql`delete from incidents`.execute(warehouse.db)
    for (const [index, title] of titles.entries())
      await warehouse.db
        .insertInto('incidents')
        .values({
          account_id: accountId,
          incident_id: String(index),
          title,
          labels: JSON.stringify({ title }),
        })
        .execute()
    return warehouse
  }

  async function titlesIn(lake: Lake, accountId: bigint): Promise<unknown[]> {
    const reader = await openReader(lake, { settings: defaultSettings })
    try {
      const { rows } = await reader.query(
        `select title, labels ->> 'title' from incidents where account_id = ${accountId} order by incident_id`,
      )
      return rows.map(([title, label]) => (title === label ? title : [title, label]))
    } finally {
      reader.close()
    }
  }

  test('can be read on another machine with every character intact', async () => {
    const lake = postgres.lake('texts')
    await (await settled(lake, 1n, TEXTS)).publish()
    expect(await titlesIn(lake, 1n)).toEqual(TEXTS)
    expect(await verifyInLake(lake, 1n)).toEqual([])
    const other = await openWarehouse(postgres.lake('texts'), resources, { accountId: 1n })
    const rows = await other.db.selectFrom('incidents').select('title').orderBy('incident_id').execute()
    await other.close()
    expect(rows.map(({ title }) => title)).toEqual(TEXTS)
  })

  test('streams incidents, without buffering, when joining them to the as-of time of each account', async () => {
    const lake = postgres.lake('plan')
    await (await settled(lake, 1n, TEXTS)).publish()
    const reader = await openReader(lake, { settings: defaultSettings })
    try {
      const { rows } = await reader.query('explain select title, as_of_at from incident_times')
      const joins = rows.join().match(/\b(LEFT|RIGHT|INNER|OUTER)\b/g)
      expect(joins).toContain('LEFT')
      expect(joins).not.toContain('RIGHT')
    } finally {
      reader.close()
    }
  })

  test('allows one writer per account, and rejects a machine whose lease was taken over', async () => {
    const [one, other] = [postgres.lake('leases'), postgres.lake('leases')]
    const paused = await settled(one, 1n, ['of the paused'])
    await expect(openWarehouse(other, resources, { accountId: 1n })).rejects.toThrow(/is leased by/)
    postgres.endLeases('leases')
    const next = await settled(other, 1n, ['of the next'])
    expect(next.lease?.epoch).toBe(2n)
    await expect(paused.publish()).rejects.toThrow(/leased to another process/)
    await next.publish()
    expect(await titlesIn(one, 1n)).toEqual(['of the next'])
    // The working file was not published, so the machine starts from the lake.
    const again = await openWarehouse(one, resources, { accountId: 1n })
    const rows = await again.db.selectFrom('incidents').select('title').execute()
    await again.close()
    expect(rows).toEqual([{ title: 'of the next' }])
  })

  test('rejects a machine that lost its lease, even if no other machine took the lease', async () => {
    const lake = postgres.lake('lost')
    const warehouse = await settled(lake, 1n, ['a'])
    postgres.endLeases('lost')
    await expect(warehouse.publish()).rejects.toThrow(/was lost/)
    await (await settled(lake, 1n, ['b'])).publish()
    expect(await titlesIn(lake, 1n)).toEqual(['b'])
  })

  test('accepts a working file with a column of an older version', async () => {
    const lake = postgres.lake('columns')
    const warehouse = await settled(lake, 1n, ['a'])
    await sql`alter table incidents add column of_old varchar`.execute(warehouse.db)
    await warehouse.publish()
    expect(await titlesIn(lake, 1n)).toEqual(['a'])
    expect(await verifyInLake(lake, 1n)).toEqual([])
  })

  test('detects that another program deleted published rows', async () => {
    const lake = postgres.lake('changed')
    await (await settled(lake, 1n, ['a'])).publish()
    postgres.ask(
      'changed',
      `update ducklake_data_file set end_snapshot = 1
      where table_id = (select table_id from ducklake_table where table_name = 'incidents')`,
    )
    expect(await verifyInLake(lake, 1n)).toMatchObject([{ table: 'incidents', rows: 0n, published: 1n }])
    await expect(repair(lake)).rejects.toThrow(/no rows of incidents match what was published/)
  })

  test('reports connection errors with a next step, but never with the password', async () => {
    const { warehouse, lake } = postgres.config('errors')
    const made = (address: string, password: string, more = {}) =>
      new Lake(address, lakeSchema.parse({ ...lake, ...more }), '/', () => password)
    const attempts = [
      made(warehouse, 'wrong-password'),
      made(warehouse.replace(/port=\d+/, 'port=1'), PASSWORD),
      made(warehouse, PASSWORD, { extensions: '/nowhere' }),
      made(warehouse, 'wrong-password\u0000'),
    ]
    const told: string[] = []
    for (const attempt of attempts) {
      const error = await openReader(attempt).catch((one: Error & { next: string }) => one)
      expect(error).toMatchObject({
        name: 'WarehouseError',
        next: expect.stringMatching(/PostgreSQL|pip install|`lake.passwordFile`/),
      })
      told.push(JSON.stringify([String(error), (error as { next: string }).next]))
    }
    expect(told.join()).not.toMatch(/wrong-password|a secret/)
    await expect(openReader(made(warehouse, PASSWORD))).rejects.toThrow(/No warehouse found at ducklake:/)
    expect(() => made(`${warehouse} password=x`, PASSWORD)).toThrow(/contains the password/)
  })
})

describe.runIf(hasLake)('a machine that is cut off while PostgreSQL records', () => {
  const beginJob = async (lake: Lake) => {
    const job = await jobsOf(lake).lease('sync:1', () => undefined)
    await job!.begin(0)
    return job!
  }
  test.each([
    ['its new epoch', 'cut_epoch', /insert into faultline_leases/, (lake: Lake) => leaseAccount(lake, 1n)],
    ['the start of its job', 'cut_job', /insert into faultline_jobs/, beginJob],
  ])('%s leaves no lock that blocks another machine', async (_, name, sent, act) => {
    const network = await networkTo(postgres.port)
    onTestFinished(network.close)
    const [slow, other] = [postgres.lake(name, {}, network.port), postgres.lake(name)]
    // Otherwise, a failure would be a wait without an end.
    postgres.ask(name, `alter database ${name} set lock_timeout = '20s'`)
    const cut = network.cutAfter(sent)
    const late = act(slow).catch(() => undefined)
    expect(await Promise.race([cut, late])).toBeUndefined()
    postgres.endLeases(name)
    const lease = await act(other)
    expect(lease).toBeDefined()
    await lease!.release()
    network.heal()
    await (await late)?.release()
  })
})

describe.runIf(hasLake)('a statement of a lake reader', () => {
  let reader: Reader
  let data: string
  beforeAll(async () => {
    const lake = postgres.lake('attacked')
    data = lake.data
    await (await openWarehouse(lake, resources, { accountId: 1n })).publish()
    reader = await openReader(lake, { settings: defaultSettings })
  })
  afterAll(async () => {
    reader?.close()
  })

  const server = () => `host=127.0.0.1 port=${postgres.port} dbname=attacked user=faultline`
  test.each([
    ['the PostgreSQL server', () => "from postgres_query('catalogue', 'select 1')"],
    [
      'the PostgreSQL server, through another function',
      () => `from postgres_scan('${server()}', 'public', 'ducklake_table')`,
    ],
    ['the catalog', () => 'from __ducklake_metadata_lake.ducklake_table'],
    ['the address of the catalog', () => 'from duckdb_databases()'],
    ['the secret of a path', () => `from which_secret('${data}', 's3')`],
    ['the table behind a relation restricted to an account', () => 'from lake.main.incidents'],
    ['functions of the lake', () => 'from lake.snapshots()'],
    ['functions of the lake, by name', () => "from ducklake_list_files('lake', 'incidents')"],
    ['files of the lake', () => `from read_parquet('${data}**')`],
    ['the list of files of the lake', () => `from glob('${data}**')`],
    ['the export of rows to a file', () => `copy incidents to '${data}stolen.csv'`],
  ])('has no access to %s', async (_, statement) => {
    await expect(reader.query(statement())).rejects.toThrow(
      /not allowed|Only read-only statements|Expected one statement/,
    )
    await expect(reader.keep('kept', statement())).rejects.toThrow()
    const pieces = async () => {
      for await (const _piece of reader.stream(statement())) void _piece
    }
    await expect(pieces()).rejects.toThrow()
  })

  test('can keep a large result in a table of one session until the result is dropped', async () => {
    const tables = async () =>
      (await reader.query("select count(*) from duckdb_tables() where database_name = 'kept'")).rows
    const [one, other] = [await reader.session(), await reader.session()]
    await one.keep('rows', 'select * from range(3)', { large: true })
    await other.keep('rows', 'select * from range(5)', { large: true })
    await one.keep('sum', 'select sum(range)::bigint from rows')
    expect((await one.read('sum')).rows).toEqual([[3n]])
    expect((await other.query('select count(*) from rows')).rows).toEqual([[5n]])
    expect(await tables()).toEqual([[2n]])
    await one.forget(['rows', 'sum'])
    await expect(one.query('from rows')).rejects.toThrow(/rows does not exist/)
    expect(await tables()).toEqual([[1n]])
    one.close()
    other.close()
  })
})
