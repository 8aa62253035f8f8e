import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { resources } from '../../../src/resources/index.ts'
import { publishAll, type Warehouse } from '../../../src/warehouse/warehouse.ts'
import { openWarehouse } from '../../support/storage.ts'
import { preparedWarehouse } from '../../support/warehouse.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'faultline-publish-'))
  path = join(folder, 'it’s a "warehouse".duckdb')
  preparedWarehouse(path, 1, 2)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Replaces the rows of an account's working file with one row per table. Each row contains `word`. */
async function written(accountId: bigint, word: string): Promise<Warehouse> {
  const warehouse = await openWarehouse(path, resources, { accountId })
  const { db } = warehouse
  const own = { account_id: accountId }
  const tables = ['incidents', 'incident_responders', 'sync_runs', 'sync_windows', 'quarantine'] as const
  for (const table of tables) await db.deleteFrom(table).execute()
  await db
    .insertInto('sync_runs')
    .values({ ...own, run_id: 1, message: word })
    .execute()
  await db
    .insertInto('sync_windows')
    .values({ ...own, run_id: 1, window_id: 0, message: word })
    .execute()
  await db
    .insertInto('incidents')
    .values({ ...own, incident_id: 'i', title: word })
    .execute()
  await db
    .insertInto('incident_responders')
    .values({ ...own, incident_id: 'i', person_name: word })
    .execute()
  await db
    .insertInto('quarantine')
    .values({ ...own, run_id: 1, payload: word })
    .execute()
  return warehouse
}

const TABLES: Record<string, string> = {
  sync_runs: 'message',
  sync_windows: 'message',
  incidents: 'title',
  incident_responders: 'person_name',
  quarantine: 'payload',
}

/** The words in each table of a file, which must be equal in all of them. */
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
const working = (account: number) => join(`${path}.sync`, `${account}.duckdb`)

describe('publishing an account', () => {
  test('replaces its rows in every table without changing other accounts', async () => {
    await (await written(1n, 'one')).publish()
    await (await written(2n, 'two')).publish()
    expect(await wordsIn(path)).toEqual(['one', 'two'])
    await (await written(1n, 'one, partly synced')).close()
    await (await written(2n, 'two, again')).publish()
    expect(await wordsIn(path)).toEqual(['one', 'two, again'])
    expect(await wordsIn(working(1))).toEqual(['one, partly synced'])
    await (await written(1n, 'one, complete')).publish()
    expect(await wordsIn(path)).toEqual(['one, complete', 'two, again'])
    expect(readdirSync(`${path}.sync`).sort()).toEqual([
      '1.duckdb',
      '1.lock',
      '2.duckdb',
      '2.lock',
      'former.duckdb',
      'generation.json',
      'publish.lock',
    ])
  })

  test('together with another account works despite files that a killed process left', async () => {
    const both = [await written(1n, 'one'), await written(2n, 'two')]
    writeFileSync(`${path}.sync/next.duckdb`, 'half a copy')
    writeFileSync(`${path}.sync/next.duckdb.wal`, 'half a log')
    expect(await publishAll(both, resources)).toEqual([undefined, undefined])
    expect(await wordsIn(path)).toEqual(['one', 'two'])
    // Publishing must have closed and unlocked all files.
    await (await written(1n, 'again')).publish()
    expect(await wordsIn(path)).toEqual(['again', 'two'])
  })

  test('with a damaged working file does not block other accounts', async () => {
    await (await written(3n, 'three')).publish()
    const both = [await written(1n, 'one'), await written(2n, 'two')]
    await both[0]!.finish()
    writeFileSync(working(1), 'no database'.repeat(2_000))
    const [first, second] = await publishAll(both, resources)
    expect(first).toMatchObject({ message: expect.stringContaining('could not be replaced') })
    expect(second).toBeUndefined()
    expect(await wordsIn(path)).toEqual(['three', 'two'])
  })
})
