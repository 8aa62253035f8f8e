import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createClient } from '../../../src/client/client.ts'
import type { Lake } from '../../../src/config/lake.ts'
import { defaultSettings } from '../../../src/config/settings.ts'
import { realEffects } from '../../../src/effects.ts'
import { resources } from '../../../src/resources/index.ts'
import { startSandbox } from '../../../src/sandbox/start-sandbox.ts'
import { syncAccounts } from '../../../src/sync/sync-accounts.ts'
import { verifyInLake } from '../../../src/warehouse/lake/lake-tables.ts'
import { maintain } from '../../../src/warehouse/lake/maintain-lake.ts'
import { openReader } from '../../../src/warehouse/read/reader.ts'
import { openWarehouse } from '../../../src/warehouse/warehouse.ts'
import { hasLake, type Postgres, startPostgres } from '../../support/lake.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 })

const DAY = 86_400
const NOW = 1_795_262_400

describe.runIf(hasLake)('a night in a lake', () => {
  let postgres: Postgres
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres?.stop())

  test('in which nothing changed leaves no object, before and after the lake is brought into shape', async () => {
    const sandbox = await startSandbox({ now: NOW, limits: false, incidents: 60, accountId: 11 })
    const client = createClient({ ...sandbox, quota: Number.POSITIVE_INFINITY })
    onTestFinished(async () => {
      await client.close()
      await sandbox.close()
    })
    const lake = postgres.lake('quiet')
    const night = async () => {
      const before = objects(lake)
      const { outcomes } = await syncAccounts({
        ...{ path: lake, resources, known: resources, effects: realEffects(), version: '0', jobs: 1 },
        ...{ settings: defaultSettings, signal: new AbortController().signal },
        accounts: [{ name: null, connect: () => client, scope }],
      })
      expect(outcomes).toMatchObject([{ published: true }])
      return objects(lake).filter((one) => !before.includes(one))
    }
    expect((await night()).length).toBeGreaterThan(0)
    expect(await night()).toEqual([])
    await maintain(lake, 7)
    expect(await night()).toEqual([])
    expect(await night()).toEqual([])
    expect(await asked(lake, 'select count(*), max(run_id) from sync_runs')).toEqual([[4n, 4n]])
    expect(await asked(lake, 'select run_id from sync_windows group by 1 order by 1')).toHaveLength(4)
    expect(await verifyInLake(lake, 11n)).toEqual([])
  })

  test('of several accounts, some of which changed, leaves files that they share, whatever their number', async () => {
    const lake = postgres.lake('shared')
    const accounts = [1n, 2n, 3n, 4n]
    for (let night = 0; night < 3; night++) {
      for (const account_id of accounts) {
        const warehouse = await openWarehouse(lake, resources, { accountId: account_id })
        const rows = Array.from({ length: night === 0 ? 150 : 2 }, (_, row) => `n${night} ${row}`)
        if (night === 0 || account_id % 2n === 0n)
          await warehouse.db
            .insertInto('incidents')
            .values(rows.map((incident_id) => ({ account_id, incident_id })))
            .execute()
        await sql`update incidents set title = ${`seen ${night}`} where incident_id = 'n0 7'`.execute(
          warehouse.db,
        )
        await sql`insert into sync_runs by name (select ${account_id} as account_id, ${night} as run_id)`.execute(
          warehouse.db,
        )
        await warehouse.publish()
      }
      await maintain(lake, 7)
      const live = postgres.ask(
        'shared',
        `select max(n) from (select count(distinct data_file_id) + count(delete_file_id) as n from ducklake_data_file d
          left join ducklake_delete_file x using (data_file_id, table_id)
          where d.end_snapshot is null and x.end_snapshot is null group by table_id) of_table`,
      )
      expect([night, Number(live) <= 4]).toEqual([night, true])
    }
    for (const account of accounts) expect(await verifyInLake(lake, account)).toEqual([])
  })

  test('texts that are kept in the catalogue are as they were, NULs and lists too, in former states as well', async () => {
    const lake = postgres.lake('texts')
    const texts = ['a NUL \u0000 here', "it's \\ $$ \u001b]0;x\u0007", '\u202e\ud83d\ude00', '']
    const write = async (names: readonly string[]) => {
      const warehouse = await openWarehouse(lake, resources, { accountId: 1n })
      await sql`delete from members`.execute(warehouse.db)
      for (const [index, name] of names.entries())
        await warehouse.db
          .insertInto('members')
          .values({ account_id: 1n, member_id: BigInt(index), member_name: name })
          .execute()
      await sql`update members set _hash = 18446744073709551615, _seen_at = '2026-03-01 12:00:00.123456+00'`.execute(
        warehouse.db,
      )
      await sql`insert into incidents by name (select 1 as account_id, 'x' as incident_id,
        ['nul' || chr(0), null, 'a, ''b'''] as integration_types where not exists (from incidents))`.execute(
        warehouse.db,
      )
      await warehouse.publish()
    }
    await write(texts)
    const first = BigInt(postgres.ask('texts', 'select max(snapshot_id) from ducklake_snapshot'))
    await write([...texts.slice(1), 'another'])
    const names = 'select member_name from members order by member_id'
    const states = async () => {
      expect((await asked(lake, names, first)).flat()).toEqual(texts)
      expect((await asked(lake, names)).flat()).toEqual([...texts.slice(1), 'another'])
    }
    await states()
    expect(await asked(lake, 'select integration_types from incidents')).toEqual([
      [['nul\u0000', null, "a, 'b'"]],
    ])
    for (let times = 0; times < 3; times++) {
      await maintain(lake, 7)
      await states()
      await write([...texts.slice(1), 'another'])
    }
    expect(await verifyInLake(lake, 1n)).toEqual([])
  })
})

/** As a schedule's: the last month is looked at again. */
const scope = (now: number) => ({
  ...{ now, since: now - 200 * DAY, lookbackDays: 31, windowSeconds: 31 * DAY, full: false },
})

/** Paths of all objects. */
function objects(lake: Lake): string[] {
  return readdirSync(lake.data, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name))
}

async function asked(lake: Lake, query: string, at?: bigint) {
  const reader = await openReader(lake, { settings: defaultSettings, at })
  try {
    return (await reader.query(query)).rows
  } finally {
    reader.close()
  }
}
