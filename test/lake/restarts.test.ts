import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { verifyInLake } from '../../src/lake/lake-tables.ts'
import { resources } from '../../src/resources/index.ts'
import type { Lake } from '../../src/settings/lake.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { hasLake, postgresOfTests, type Store, startStore } from '../support/lake.ts'
import { openIfThere, openWarehouse } from '../support/storage.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

/** Times in ms after the start of a publish. They fall around the copy of rows, around the commit and after it. */
const MOMENTS_MS = [20, 300, 1_000]

describe.runIf(hasLake)('an object store that fails while an account is published', () => {
  const postgres = postgresOfTests()
  let store: Store | undefined
  beforeAll(async () => {
    store = await startStore()
  })
  afterAll(async () => {
    await store?.stop()
  })

  test('leaves no partly published account, and the next publish succeeds', async (context) => {
    if (store === undefined) return context.skip('moto or httpfs is missing: no object store')
    const lake = postgres.lake('away', store.fields)
    await publishAs(lake, 0)
    let failed = 0
    for (const [index, ms] of MOMENTS_MS.entries()) {
      const publishing = publishAs(lake, index + 1).then(
        () => true,
        () => false,
      )
      await new Promise((resolve) => setTimeout(resolve, ms))
      // DuckDB retries for two seconds, so the store is away longer.
      await store.away(4_000)
      const isDone = await publishing
      if (!isDone) failed++
      const seen = await versionIn(lake)
      expect(isDone ? [index + 1] : Array.from({ length: index + 2 }, (_, each) => each)).toContain(seen)
    }
    // If none failed, the times of the outages were wrong.
    expect(failed).toBeGreaterThan(0)
    await publishAs(lake, 99)
    expect(await versionIn(lake)).toBe(99)
    expect(await verifyInLake(lake, 1n)).toEqual([])
  })
})

/** Publishes 200 incidents, all with the version number as their title. */
async function publishAs(lake: Lake, version: number): Promise<void> {
  const warehouse = await openWarehouse(lake, resources, { accountId: 1n })
  await sql`delete from incidents`.execute(warehouse.db)
  await sql`insert into incidents by name (select 1 as account_id, i::varchar as incident_id, ${String(version)} as title
    from range(200) as n(i))`.execute(warehouse.db)
  await warehouse.publish()
}

/** The title of all incidents, as another machine reads them. */
async function versionIn(lake: Lake): Promise<number> {
  const reader = (await openIfThere(lake, { settings: defaultSettings }))!
  const { rows } = await reader.query('select title, count(*) from incidents group by 1')
  reader.close()
  expect(rows).toEqual([[expect.any(String), 200n]])
  return Number(rows[0]![0])
}
