import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { realEffects } from '../../src/effects.ts'
import { verifyInLake } from '../../src/lake/lake-tables.ts'
import { maintain } from '../../src/lake/maintain-lake.ts'
import { resources } from '../../src/resources/index.ts'
import { startSandbox } from '../../src/sandbox/start-sandbox.ts'
import type { Lake } from '../../src/settings/lake.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { hasLake, postgresOfTests } from '../support/lake.ts'
import { openReader, openWarehouse, syncAccounts } from '../support/storage.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 })

const DAY = 86_400
const NOW = 1_795_262_400

describe.runIf(hasLake)('a nightly sync of a lake', () => {
  const postgres = postgresOfTests()

  const newest = (database: string) =>
    postgres.ask(database, 'select max(snapshot_id) from ducklake_snapshot')

  test('writes only its three bookkeeping files if nothing changed', async () => {
    const sandbox = await startSandbox({ now: NOW, limits: false, incidents: 60, accountId: 11 })
    const client = createClient({ ...sandbox, quota: Number.POSITIVE_INFINITY })
    onTestFinished(async () => {
      await client.close()
      await sandbox.close()
    })
    const lake = postgres.lake('quiet')
    const seen = new Map<string, unknown>()
    const night = async () => {
      const before = objects(lake)
      const { outcomes } = await syncAccounts({
        ...{ path: lake, resources, known: resources, effects: realEffects(), version: '0', jobs: 1 },
        ...{ settings: defaultSettings, signal: new AbortController().signal },
        accounts: [{ name: null, connect: () => client, scope }],
      })
      expect(outcomes).toMatchObject([{ published: true }])
      seen.set(newest('quiet'), await seenIn(lake))
      return tablesOf(objects(lake).filter((one) => !before.includes(one)))
    }
    const notes = ['lake_tables', 'sync_runs', 'sync_windows']
    expect((await night()).length).toBeGreaterThan(notes.length)
    expect(await night()).toEqual(notes)
    expect((await maintain(lake, 7)).merged).toBe(notes.length)
    expect(await night()).toEqual(notes)
    // A day later, the sync counts alert rules again and requests records by id. It therefore replaces the rows of
    // these tables.
    sandbox.advance(DAY)
    expect(await night()).toEqual(['folder_rule_status', ...notes.toSpliced(1, 0, 'sync_checks')])
    expect(await verifyInLake(lake, 11n)).toEqual([])
    await maintain(lake, 7)
    for (const [state, rows] of seen) expect(await seenIn(lake, state)).toEqual(rows)
    expect(await verifyInLake(lake, 11n)).toEqual([])
  })

  test('with five small accounts leaves at most three files per table', async () => {
    const lake = postgres.lake('shared')
    const accounts = [1n, 2n, 3n, 4n, 5n]
    const seen = new Map<string, unknown>()
    for (let night = 0; night < 3; night++) {
      for (const account of accounts) {
        await publish(lake, account, night)
        seen.set(newest('shared'), await seenIn(lake))
      }
      await maintain(lake, 7)
      const most = postgres.ask(
        'shared',
        `select max(n) from (select count(*) as n from (${LIVE}) live group by table_name) of_table`,
      )
      expect([night, Number(most) <= 3]).toEqual([night, true])
    }
    for (const [state, rows] of seen) expect(await seenIn(lake, state)).toEqual(rows)
    for (const account of accounts) expect(await verifyInLake(lake, account)).toEqual([])
    // Files are removed when no snapshot needs them, and only then.
    await maintain(lake, 0)
    await maintain(lake, 0, 2)
    expect(objects(lake)).toHaveLength(Number(postgres.ask('shared', `select count(*) from (${LIVE}) live`)))
    for (const account of accounts) expect(await verifyInLake(lake, account)).toEqual([])
  })
})

/** Like a scheduled sync, which reads the last month again. */
const scope = (now: number) => ({
  ...{ now, since: now - 200 * DAY, lookbackDays: 31, windowSeconds: 31 * DAY, full: false },
})

/** Files of rows, and files with the positions of deleted rows, in the newest snapshot. */
const LIVE = ['data', 'delete']
  .map(
    (kind) => `select table_name from ducklake_${kind}_file f join ducklake_table t using (table_id)
      where f.end_snapshot is null and t.end_snapshot is null`,
  )
  .join(' union all ')

/**
 * Simulates one nightly sync. The first sync stores 100 incidents. For accounts with an even id, later syncs write only
 * their own row of `sync_runs`. Accounts with an odd id also get two new incidents and one changed incident.
 */
async function publish(lake: Lake, accountId: bigint, night: number): Promise<void> {
  const { db, publish } = await openWarehouse(lake, resources, { accountId })
  const isQuiet = night > 0 && accountId % 2n === 0n
  if (!isQuiet) {
    await sql`insert into incidents by name (select ${accountId} as account_id, ${`n${night} `} || i as incident_id,
      ['a, ''b', null, ${`of ${night}`}] as integration_types from range(${night === 0 ? 100 : 2}) n(i))`.execute(
      db,
    )
    await sql`update incidents set title = ${`seen ${night}`} where incident_id = 'n0 7'`.execute(db)
  }
  await sql`insert into sync_runs by name (select ${accountId} as account_id, ${night} as run_id)`.execute(db)
  await publish()
}

function objects(lake: Lake): string[] {
  return readdirSync(lake.data, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name))
}

const tablesOf = (paths: readonly string[]) => paths.map((path) => /main\/(\w+)\//.exec(path)?.[1]).sort()

/** The data that readers see in a snapshot, by default the newest. */
async function seenIn(lake: Lake, state?: string): Promise<unknown> {
  const reader = await openReader(lake, { settings: defaultSettings, at: state ? BigInt(state) : undefined })
  const sums = ['incidents', 'sync_runs', 'accounts'].map(
    (table) => `(select concat(count(*), ' rows, ', sum(hash(t))) from ${table} t)`,
  )
  try {
    return (await reader.query(`select ${sums.join(', ')}`)).rows
  } finally {
    reader.close()
  }
}
