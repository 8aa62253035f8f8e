import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { beforeAll, describe, expect, test } from 'vitest'
import { lastRun } from '../../../src/cli/start/last-run.ts'
import { resources } from '../../../src/resources/index.ts'
import { createTables } from '../../../src/warehouse/schema/create.ts'
import { ownFolder } from '../../support/folder.ts'
import { publishedAt } from '../../support/storage.ts'

const folder = ownFolder()
const path = join(folder, 'warehouse.duckdb')

beforeAll(async () => {
  const instance = await DuckDBInstance.create(path)
  const connection = await instance.connect()
  await createTables(connection, resources)
  await connection.run(`
    insert into sync_runs (run_id, account_id, account_name, started_at, finished_at, status) values
      (1, 1, 'EMEA', '2026-11-19 02:30:00+00', '2026-11-19 02:31:00+00', 'ok'),
      (2, 2, 'APAC', '2026-11-19 02:31:00+00', null, 'running'),
      (3, 3, 'own time', '2026-11-20 02:00:00+00', '2026-11-20 02:05:00+00', 'failed'),
      (4, 1, 'EMEA', '2026-11-20 12:00:00+00', '2026-11-20 12:01:00+00', 'ok')`)
  connection.closeSync()
  instance.closeSync()
})

describe('the last sync run in a warehouse', () => {
  test('is the newest run if no account names are given', async () => {
    expect(await lastRun(publishedAt(path))).toMatchObject({
      startedAt: Date.parse('2026-11-20T12:00:00Z'),
      status: 'ok',
    })
  })

  test('is the run of the account with the oldest data if several accounts are given', async () => {
    expect(await lastRun(publishedAt(path), ['EMEA', 'APAC'])).toEqual({
      startedAt: Date.parse('2026-11-19T02:31:00Z'),
      finishedAt: null,
      status: 'interrupted',
    })
    expect(await lastRun(publishedAt(path), ['EMEA'])).toMatchObject({ status: 'ok' })
  })

  test('counts as failed if its data was read but never published', async () => {
    const own = join(folder, 'warehouse.duckdb.sync')
    mkdirSync(own)
    const working = join(own, '1.duckdb')
    copyFileSync(path, working)
    const addRun = async (values: string) => {
      const instance = await DuckDBInstance.create(working)
      const connection = await instance.connect()
      await connection.run(`insert into sync_runs
        (run_id, account_id, account_name, started_at, finished_at, status, as_of_at) values ${values}`)
      connection.closeSync()
      instance.closeSync()
    }
    const times = "'2026-11-21 02:00:00+00', '2026-11-21 02:05:00+00'"
    await addRun(`(5, 1, 'EMEA', ${times}, 'partial', null)`)
    expect(await lastRun(publishedAt(path))).toMatchObject({ status: 'partial' })
    await addRun(`(6, 1, 'EMEA', ${times}, 'ok', '2026-11-21 02:00:00+00')`)
    expect(await lastRun(publishedAt(path))).toMatchObject({ status: 'failed' })
    // A sync that is running may be about to publish the run.
    writeFileSync(join(own, 'under-way.json'), JSON.stringify({ pid: process.pid, at: '', line: '' }))
    expect(await lastRun(publishedAt(path))).toMatchObject({ status: 'ok' })
    rmSync(own, { recursive: true })
  })

  test('is null if one of the given accounts was never read', async () => {
    expect(await lastRun(publishedAt(path), ['EMEA', "new ' one"])).toBeNull()
    expect(await lastRun(publishedAt(join(folder, 'none.duckdb')), ['EMEA'])).toBeNull()
  })
})
