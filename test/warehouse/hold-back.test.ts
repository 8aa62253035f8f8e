import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { resources } from '../../src/resources/index.ts'
import { openWarehouse, type Warehouse } from '../../src/warehouse/warehouse.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'faultline-hold-back-'))
  path = join(folder, 'it’s a "warehouse".duckdb')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Writes a run of an account with one window, incident, responder and quarantined record, all marked by a word. */
async function write({ db }: Warehouse, account: number, run: number, word: string) {
  const account_id = BigInt(account)
  const run_id = BigInt(run)
  for (const table of ['incidents', 'incident_responders'] as const) {
    await db.deleteFrom(table).where('account_id', '=', account_id).execute()
  }
  await db.insertInto('sync_runs').values({ account_id, run_id, message: word }).execute()
  await db.insertInto('sync_windows').values({ run_id, window_id: 0, message: word }).execute()
  await db.insertInto('incidents').values({ account_id, incident_id: 'i', title: word }).execute()
  await db
    .insertInto('incident_responders')
    .values({ account_id, incident_id: 'i', person_name: word })
    .execute()
  await db.insertInto('quarantine').values({ account_id, run_id, payload: word }).execute()
}

const TABLES: Record<string, string> = {
  sync_runs: 'message',
  sync_windows: 'message',
  incidents: 'title',
  incident_responders: 'person_name',
  quarantine: 'payload',
}

/** The words in each table of a file, which are to be the same in all of them. */
async function wordsIn(file: string): Promise<unknown[]> {
  const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  const found: unknown[][] = []
  for (const [table, column] of Object.entries(TABLES)) {
    const rows = await connection.runAndReadAll(`select "${column}" from ${table} order by all`)
    found.push(rows.getRows().map(([word]) => word))
  }
  connection.closeSync()
  instance.closeSync()
  for (const words of found) expect(words).toEqual(found[0])
  return found[0]!
}

test('an account that is held back is published as readers had it, in every table; the working file keeps all', async () => {
  const first = await openWarehouse(path, resources)
  await write(first, 1, 1, 'one, whole')
  await first.publish()
  const second = await openWarehouse(path, resources)
  await write(second, 2, 2, 'two, whole')
  for (const table of ['sync_windows', 'quarantine', 'sync_runs'] as const) {
    await second.db.deleteFrom(table).where('run_id', '=', 1n).execute()
  }
  await write(second, 1, 3, 'one, half-way')
  await write(second, 3, 4, 'three, half-way')
  await second.publish([1n, 3n])
  expect(await wordsIn(path)).toEqual(['one, whole', 'two, whole'])
  expect(await wordsIn(`${path}.sync`)).toEqual(['one, half-way', 'three, half-way', 'two, whole'])
  expect(existsSync(`${path}.next`)).toBe(false)
})

test('an account is held back without a copy before: there is nothing of it', async () => {
  const warehouse = await openWarehouse(path, resources)
  await write(warehouse, 1, 1, 'one, half-way')
  await write(warehouse, 2, 2, 'two, whole')
  // What a process left that was killed at this very place.
  writeFileSync(`${path}.next`, 'half a copy')
  writeFileSync(`${path}.next.wal`, 'half a log')
  await warehouse.publish([1n])
  expect(await wordsIn(path)).toEqual(['two, whole'])
})

test('a copy of layout 1 is of the account that its incidents name', async () => {
  const instance = await DuckDBInstance.create(path)
  const connection = await instance.connect()
  await connection.run(`
    create table faultline_meta (key varchar, value varchar);
    insert into faultline_meta values ('layout', '1');
    create table sync_runs (run_id bigint, message varchar);
    create table sync_windows (run_id bigint, window_id bigint, message varchar);
    create table incidents (incident_id varchar, account_id bigint, title varchar);
    create table incident_responders (incident_id varchar, ordinal bigint, person_name varchar);
    create table quarantine (run_id bigint, payload varchar);
    insert into sync_runs values (1, 'old');
    insert into sync_windows values (1, 0, 'old');
    insert into incidents values ('i', 1, 'old');
    insert into incident_responders values ('i', 0, 'old');
    insert into quarantine values (1, 'old')`)
  connection.closeSync()
  instance.closeSync()
  const warehouse = await openWarehouse(path, resources)
  for (const table of ['sync_windows', 'quarantine', 'sync_runs'] as const) {
    await warehouse.db.deleteFrom(table).execute()
  }
  await write(warehouse, 1, 2, 'one, half-way')
  await write(warehouse, 2, 3, 'two, whole')
  await warehouse.publish([1n])
  expect(await wordsIn(path)).toEqual(['old', 'two, whole'])
})
