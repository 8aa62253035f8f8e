import { type ChildProcess, spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DuckDBInstance } from '@duckdb/node-api'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WarehouseError } from '../../src/errors.ts'
import { resources } from '../../src/resources/index.ts'
import { integer, type Resource } from '../../src/resources/resource.ts'
import { peekWarehouse } from '../../src/warehouse/read/peek.ts'
import { openWarehouse, type Warehouse } from '../../src/warehouse/warehouse.ts'
import { preparedWarehouse } from '../support/warehouse.ts'
import { mergeInto, things } from './things.ts'

let folder: string
let path: string
const open: Warehouse[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'faultline-warehouse-'))
  path = join(folder, 'faultline.duckdb')
})
afterEach(async () => {
  for (const warehouse of open.splice(0)) await warehouse.close()
  rmSync(folder, { recursive: true, force: true })
})

async function opened(known: readonly Resource[] = resources, accountId = 1n): Promise<Warehouse> {
  const warehouse = await openWarehouse(path, known, { accountId })
  open.push(warehouse)
  return warehouse
}

const insertRun = (warehouse: Warehouse, run: number) =>
  warehouse.db
    .insertInto('sync_runs')
    .values({ account_id: warehouse.accountId, run_id: run, status: 'ok' })
    .execute()
const runsIn = async (warehouse: Warehouse) =>
  (await warehouse.db.selectFrom('sync_runs').select('run_id').orderBy('run_id').execute()).map(
    (row) => row.run_id,
  )

/** Runs that a reader of the published copy sees. */
async function published(): Promise<bigint[]> {
  const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  try {
    const result = await connection.runAndReadAll('select run_id from sync_runs order by run_id')
    return result.getRows().map((row) => row[0] as bigint)
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** The error a call ends in, which must be a WarehouseError. */
async function failure(call: Promise<unknown>): Promise<WarehouseError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(WarehouseError)
  return error as WarehouseError
}

describe('tables', () => {
  test('are made once, and opening again keeps what is in them', async () => {
    const first = await opened()
    await insertRun(first, 1)
    const names = (await first.db.introspection.getTables()).map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining(['incidents', 'incident_versions', 'sync_windows', 'incident_times']),
    )
    await first.close()
    const second = await opened()
    expect(await runsIn(second)).toEqual([1n])
    expect((await second.db.introspection.getTables()).map(({ name }) => name)).toEqual(names)
  })

  test('are written by one thread, within the memory it is given', async () => {
    const warehouse = await openWarehouse(path, resources, { accountId: 1n, memoryLimit: '200MiB' })
    open.push(warehouse)
    const settings = sql`select current_setting('threads')::int as threads, current_setting('memory_limit') as memory`
    const { rows } = await settings.execute(warehouse.db)
    expect(rows).toEqual([{ threads: 1, memory: '200.0 MiB' }])
  })

  test('of an older file grow the columns they lack, under the views', async () => {
    const before = await opened([
      ...resources,
      { ...things, columns: things.columns.slice(0, 5), children: [] },
    ])
    await sql`insert into things (account_id, id, title) values (1, 'a', 'old')`.execute(before.db)
    await sql`alter table incidents drop column silence_url`.execute(before.db)
    await before.close()
    const grown = { ...things, columns: [...things.columns, integer('a "new" one')] }
    const after = await opened([...resources, grown])
    const { rows } = await sql`select * from things`.execute(after.db)
    expect(rows).toMatchObject([{ id: 'a', title: 'old', labels: null, words: null, 'a "new" one': null }])
    expect(await after.db.selectFrom('incidents').select('silence_url').execute()).toEqual([])
    expect((await sql`select * from incident_times`.execute(after.db)).rows).toEqual([])
    const record = { id: 'a', title: 'new', 'a "new" one': 3 }
    await mergeInto(after.db, grown, [record], { runId: 1, seenAt: 0, accountId: 1n })
    expect((await sql`select "a ""new"" one" as n from things`.execute(after.db)).rows).toEqual([{ n: 3n }])
  })
})

describe('publishing', () => {
  beforeEach(() => preparedWarehouse(path, 1))

  test('gives readers whole runs, and the sync goes on behind the published one', async () => {
    const first = await opened()
    await insertRun(first, 1)
    expect(existsSync(path)).toBe(false)
    await first.publish()
    expect(await published()).toEqual([1n])
    const second = await opened()
    await insertRun(second, 2)
    expect(await published()).toEqual([1n])
    await second.publish()
    expect(await published()).toEqual([1n, 2n])
    expect(readdirSync(folder).sort()).toEqual(['faultline.duckdb', 'faultline.duckdb.sync'])
    expect(readdirSync(`${path}.sync`).sort()).toEqual([
      '1.duckdb',
      '1.lock',
      'former.duckdb',
      'generation.json',
      'publish.lock',
    ])
  })

  test('lets a reader keep the copy it opened', async () => {
    const first = await opened()
    await insertRun(first, 1)
    await first.publish()
    const reader = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' })
    const connection = await reader.connect()
    const second = await opened()
    await insertRun(second, 2)
    await second.publish()
    expect((await connection.runAndReadAll('select run_id from sync_runs')).getRows()).toEqual([[1n]])
    connection.closeSync()
    reader.closeSync()
  })

  test('makes files that only their owner reads', async () => {
    const warehouse = await opened()
    expect(statSync(warehouse.files.working).mode & 0o777).toBe(0o600)
    await warehouse.publish()
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('leaves the old copy when it fails, and says so', async () => {
    const first = await opened()
    await insertRun(first, 1)
    await first.publish()
    const second = await opened()
    await insertRun(second, 2)
    mkdirSync(second.files.next)
    const error = await failure(second.publish())
    expect(error.message).toContain(path)
    expect(error.next).toMatch(/former copy is untouched/)
    expect(await published()).toEqual([1n])
    rmSync(second.files.next, { recursive: true, force: true })
    const third = await opened()
    expect(await runsIn(third)).toEqual([1n, 2n])
  })

  test('follows a link, and leaves it one', async () => {
    await (await opened()).publish()
    const real = path
    path = join(folder, 'link.duckdb')
    symlinkSync(real, path)
    const warehouse = await opened()
    await insertRun(warehouse, 1)
    await warehouse.publish()
    expect(lstatSync(path).isSymbolicLink()).toBe(true)
    expect(await published()).toEqual([1n])
    expect(readdirSync(folder)).not.toContain('link.duckdb.sync')
  })

  test('follows a link that was made before the first sync, and makes its target', async () => {
    mkdirSync(join(folder, 'disk'))
    path = join(folder, 'link.duckdb')
    symlinkSync('second.duckdb', path)
    symlinkSync(join('disk', 'real.duckdb'), join(folder, 'second.duckdb'))
    const warehouse = await opened()
    await insertRun(warehouse, 1)
    await warehouse.publish()
    expect(lstatSync(path).isSymbolicLink()).toBe(true)
    expect(readdirSync(join(folder, 'disk')).sort()).toEqual(['real.duckdb', 'real.duckdb.sync'])
    expect(await published()).toEqual([1n])
    rmSync(join(folder, 'second.duckdb'))
    symlinkSync('link.duckdb', join(folder, 'second.duckdb'))
    expect((await failure(opened())).message).toMatch(/link.duckdb is a link that leads to itself/)
  })

  test('is where the sync starts from when its own file is gone', async () => {
    const first = await opened()
    await insertRun(first, 1)
    await first.publish()
    rmSync(first.files.working)
    writeFileSync(first.files.log, 'a log of the file that is gone')
    expect(await runsIn(await opened())).toEqual([1n])
  })
})

describe('two writers', () => {
  beforeEach(() => preparedWarehouse(path, 1))

  test('in one process: the second is told', async () => {
    await opened()
    const error = await failure(openWarehouse(path, resources, { accountId: 1n }))
    expect(error.message).toContain(
      `Another sync is writing account 1 of ${path} (process ${process.pid}, since `,
    )
    expect(error.next).toMatch(/Wait for it to end/)
  })

  test('in one process at the same moment: one gets it', async () => {
    await (await opened()).publish()
    rmSync(`${path}.sync/1.duckdb`)
    const both = await Promise.allSettled([opened(), opened()])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    await insertRun(open.at(-1)!, 1)
    await open.at(-1)!.publish()
    expect(await published()).toEqual([1n])
  })

  test('is not possible until the copy of the one before is in its place', async () => {
    const program = `const { DuckDBInstance } = await import('@duckdb/node-api')
      await DuckDBInstance.create(${JSON.stringify(`${path}.sync/1.lock`)})
      process.send('held')
      setInterval(() => {}, 1_000)`
    const child = await started(program)
    try {
      await expect(opened()).rejects.toThrow(/Another sync is writing/)
    } finally {
      await killed(child)
    }
    // A process that is killed while it makes the file leaves half of it.
    writeFileSync(`${path}.sync/1.lock`, 'half'.repeat(1_000))
    await opened()
  })

  test('is not possible while another program has the file open, and that is told apart from a sync', async () => {
    await (await opened()).close()
    const program = `const { DuckDBInstance } = await import('@duckdb/node-api')
      await DuckDBInstance.create(${JSON.stringify(`${path}.sync/1.duckdb`)}, { access_mode: 'READ_ONLY' })
      process.send('held')
      setInterval(() => {}, 1_000)`
    const child = await started(program)
    try {
      await expect(opened()).rejects.toThrow(/1\.duckdb is open in another program/)
    } finally {
      await killed(child)
    }
    await opened()
  })

  test('waits for a program that only looks into the file', async () => {
    await (await opened()).close()
    const program = `const { DuckDBInstance } = await import('@duckdb/node-api')
      const instance = await DuckDBInstance.create(${JSON.stringify(`${path}.sync/1.duckdb`)}, { access_mode: 'READ_ONLY' })
      process.send('held')
      setTimeout(() => { instance.closeSync(); process.exit() }, 300)`
    await started(program)
    await opened()
  })

  test('in two processes: the second is told who; a killed one holds nothing and loses nothing it stored', async () => {
    const child = await holding()
    try {
      const error = await failure(openWarehouse(path, resources, { accountId: 1n }))
      expect(error.message).toContain(
        `Another sync is writing account 1 of ${path} (process ${child.pid}, since 2026-01-02T`,
      )
      expect((await failure(peekWarehouse(path, 1n, resources, async () => 0))).message).toContain(
        `process ${child.pid}`,
      )
    } finally {
      await killed(child)
    }
    const look = await peekWarehouse(path, 1n, resources, (db) =>
      db.selectFrom('sync_runs').select('run_id').execute(),
    )
    expect(look).toEqual([{ run_id: 7n }])
    expect(await runsIn(await opened())).toEqual([7n])
  })

  /** Another process that has the warehouse open and has stored run 7. */
  async function holding(): Promise<ChildProcess> {
    const built = new URL('../../dist/', import.meta.url)
    if (!existsSync(new URL('warehouse/warehouse.js', built)))
      throw new Error('dist/ is missing: npm run build')
    const program = `
      const { openWarehouse } = await import('${built}warehouse/warehouse.js')
      const { resources } = await import('${built}resources/index.js')
      const warehouse = await openWarehouse(${JSON.stringify(path)}, resources, { accountId: 1n, now: ${Date.UTC(2026, 0, 2)} })
      await warehouse.db.insertInto('sync_runs').values({ account_id: 1, run_id: 7 }).execute()
      process.send('ready')
      setInterval(() => {}, 1_000)`
    return started(program)
  }

  /** A process of its own that runs the program and has said that it is ready. */
  async function started(program: string): Promise<ChildProcess> {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      cwd: fileURLToPath(new URL('../../', import.meta.url)),
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    await new Promise((resolve, reject) => {
      child.once('message', resolve)
      child.once('exit', (code) => reject(new Error(`the child ended with ${code}`)))
    })
    return child
  }

  function killed(child: ChildProcess): Promise<unknown> {
    const exit = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    return exit
  }
})

describe('a warehouse that cannot be opened', () => {
  test('because its folder is missing', async () => {
    const error = await failure(
      openWarehouse(join(folder, 'no', 'where.duckdb'), resources, { accountId: 1n }),
    )
    expect(error.message).toContain(join(folder, 'no'))
    expect(error.next).toMatch(/Create it/)
  })

  test('because nobody may write there', async () => {
    // Root may write anywhere but here.
    const closed = process.getuid?.() === 0 ? '/proc/self' : folder
    if (closed === folder) chmodSync(folder, 0o555)
    const error = await failure(openWarehouse(join(closed, 'faultline.duckdb'), resources, { accountId: 1n }))
    chmodSync(folder, 0o755)
    expect(error.message).toMatch(/cannot be written/)
    expect(error.next).toMatch(/may write the file and its folder/)
  })

  test('because the copy it should start from cannot be read', async () => {
    mkdirSync(path)
    const error = await failure(openWarehouse(path, resources, { accountId: 1n }))
    expect(error.message).toContain(path)
    expect(error.next).toBeDefined()
  })

  // A folder with such a name must not be taken for a lock or for a missing right.
  test.each(['plain', 'o’clock, block & lock', 'permission denied'])(
    'because it is no DuckDB file, in a folder named %s',
    async (name) => {
      path = join(folder, name, 'faultline.duckdb')
      mkdirSync(`${path}.sync`, { recursive: true })
      writeFileSync(
        `${path}.sync/1.duckdb`,
        'not a database, but a text that is long enough to be read as a header'.repeat(300),
      )
      const error = await failure(openWarehouse(path, resources, { accountId: 1n }))
      expect(error.message).toMatch(/is damaged: .*not a valid DuckDB database file/)
      expect(error.next).toMatch(/The next `faultline sync` puts it right/)
    },
  )

  test('because something else lies in it under our names', async () => {
    mkdirSync(`${path}.sync`)
    const instance = await DuckDBInstance.create(`${path}.sync/1.duckdb`)
    const connection = await instance.connect()
    await connection.run('create view incidents as select 1 as x')
    connection.closeSync()
    instance.closeSync()
    const error = await failure(openWarehouse(path, resources, { accountId: 1n }))
    expect(error.message).toMatch(/cannot be opened/)
  })
})

describe('a look without writing', () => {
  test('at nothing sees an empty warehouse and leaves no file', async () => {
    const runs = await peekWarehouse(path, 1n, resources, (db) =>
      db.selectFrom('sync_runs').selectAll().execute(),
    )
    expect(runs).toEqual([])
    expect(readdirSync(folder)).toEqual([])
  })

  test('at the published copy changes nothing', async () => {
    const warehouse = await opened()
    await insertRun(warehouse, 1)
    await warehouse.publish()
    rmSync(warehouse.files.working)
    const before = readdirSync(folder)
    const run = peekWarehouse(path, 1n, resources, async (db) => {
      await expect(db.deleteFrom('sync_runs').execute()).rejects.toThrow(/read-only/)
      return db.selectFrom('sync_runs').select('run_id').execute()
    })
    expect(await run).toEqual([{ run_id: 1n }])
    expect(readdirSync(folder)).toEqual(before)
  })
})
