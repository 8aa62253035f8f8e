import { lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { resources } from '../../src/resources/index.ts'
import { integer } from '../../src/resources/resource.ts'
import { openWarehouse, peekWarehouse } from '../support/storage.ts'
import { preparedWarehouse } from '../support/warehouse.ts'
import { mergeInto, things } from './sample-resource.ts'
import { failure, insertRun, placeOfTests, runsIn } from './warehouse-place.ts'

const at = placeOfTests()

describe('the tables of a working file', () => {
  test('are written by one thread, within the given memory', async () => {
    preparedWarehouse(at.path, 1)
    const warehouse = await openWarehouse(at.path, resources, { accountId: 1n, memoryLimit: '200MiB' })
    at.toClose(warehouse)
    const settings = sql`select current_setting('threads')::int as threads, current_setting('memory_limit') as memory`
    const { rows } = await settings.execute(warehouse.db)
    expect(rows).toEqual([{ threads: 1, memory: '200.0 MiB' }])
  })

  test('get missing columns if the file is older, although views depend on the tables', async () => {
    const before = await at.opened([
      ...resources,
      { ...things, columns: things.columns.slice(0, 5), children: [] },
    ])
    await sql`insert into things (account_id, id, title) values (1, 'a', 'old')`.execute(before.db)
    await sql`alter table incidents drop column silence_url`.execute(before.db)
    await before.close()
    const grown = { ...things, columns: [...things.columns, integer('a "new" one')] }
    const after = await at.opened([...resources, grown])
    const { rows } = await sql`select * from things`.execute(after.db)
    expect(rows).toMatchObject([{ id: 'a', title: 'old', labels: null, words: null, 'a "new" one': null }])
    expect(await after.db.selectFrom('incidents').select('silence_url').execute()).toEqual([])
    expect((await sql`select * from incident_times`.execute(after.db)).rows).toEqual([])
    const record = { id: 'a', title: 'new', 'a "new" one': 3 }
    await mergeInto(after.db, grown, [record], { runId: 1, seenAt: 0, accountId: 1n })
    expect((await sql`select "a ""new"" one" as n from things`.execute(after.db)).rows).toEqual([{ n: 3n }])
  })
})

describe('publishing a warehouse', () => {
  beforeEach(() => preparedWarehouse(at.path, 1))

  test('leaves the previous copy unchanged if the publication fails', async () => {
    const first = await at.opened()
    await insertRun(first, 1)
    await first.publish()
    const second = await at.opened()
    await insertRun(second, 2)
    mkdirSync(second.files.next)
    const error = await failure(second.publish())
    expect(error.message).toContain(at.path)
    expect(error.next).toMatch(/previous copy is unchanged/)
    expect(await at.published()).toEqual([1n])
    rmSync(second.files.next, { recursive: true, force: true })
    const third = await at.opened()
    expect(await runsIn(third)).toEqual([1n, 2n])
  })

  test('writes to the target of a symbolic link instead of replacing the link', async () => {
    await (await at.opened()).publish()
    const real = at.path
    at.path = join(at.folder, 'link.duckdb')
    symlinkSync(real, at.path)
    const warehouse = await at.opened()
    await insertRun(warehouse, 1)
    await warehouse.publish()
    expect(lstatSync(at.path).isSymbolicLink()).toBe(true)
    expect(await at.published()).toEqual([1n])
    expect(readdirSync(at.folder)).not.toContain('link.duckdb.sync')
  })

  test('creates the missing target if the warehouse path is a dangling symbolic link', async () => {
    mkdirSync(join(at.folder, 'disk'))
    at.path = join(at.folder, 'link.duckdb')
    symlinkSync('second.duckdb', at.path)
    symlinkSync(join('disk', 'real.duckdb'), join(at.folder, 'second.duckdb'))
    const warehouse = await at.opened()
    await insertRun(warehouse, 1)
    await warehouse.publish()
    expect(lstatSync(at.path).isSymbolicLink()).toBe(true)
    expect(readdirSync(join(at.folder, 'disk')).sort()).toEqual(['real.duckdb', 'real.duckdb.sync'])
    expect(await at.published()).toEqual([1n])
    rmSync(join(at.folder, 'second.duckdb'))
    symlinkSync('link.duckdb', join(at.folder, 'second.duckdb'))
    expect((await failure(at.opened())).message).toMatch(/link.duckdb is a link that leads to itself/)
  })
})

describe('peekWarehouse', () => {
  test('returns an empty warehouse if the file is missing, without creating the file', async () => {
    const runs = await peekWarehouse(at.path, 1n, resources, (db) =>
      db.selectFrom('sync_runs').selectAll().execute(),
    )
    expect(runs).toEqual([])
    expect(readdirSync(at.folder)).toEqual([])
  })

  test('changes nothing if only the published copy exists', async () => {
    preparedWarehouse(at.path, 1)
    const warehouse = await at.opened()
    await insertRun(warehouse, 1)
    await warehouse.publish()
    rmSync(warehouse.files.working)
    const before = readdirSync(at.folder)
    const run = peekWarehouse(at.path, 1n, resources, async (db) => {
      await expect(db.deleteFrom('sync_runs').execute()).rejects.toThrow(/read-only/)
      return db.selectFrom('sync_runs').select('run_id').execute()
    })
    expect(await run).toEqual([{ run_id: 1n }])
    expect(readdirSync(at.folder)).toEqual(before)
  })
})
