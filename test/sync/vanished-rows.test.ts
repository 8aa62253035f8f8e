import { describe, expect, test } from 'vitest'
import { incidents } from '../../src/resources/incidents.ts'
import { createLoader } from '../../src/sync/loader.ts'
import { epoch, incident } from '../support/service.ts'
import { rowsOf } from '../support/warehouse.ts'
import { end, loading, page, standing } from './loading.ts'

const { opened, titles, warehouse } = loading()

describe('rows that the service did not return in a complete read', () => {
  const reread = {
    window: { start: epoch + 3_600, end: epoch + 4 * 3_600 },
    ids: null,
    keys: new Set([incident(2).incident_id as string]),
  }
  const nowhere = async () => new Set<string>()
  const gone = async () =>
    (
      await rowsOf(warehouse(), 'select title from incidents where vanished_at is not null order by title')
    ).map((row) => row.title)

  test('are marked missing, not deleted, within the window that was read', async () => {
    await opened()
    const loader = createLoader(warehouse(), { runId: 1, accountId: 1n }, standing)
    await loader.add(page([0, 1, 2, 3, 4, 5]))
    loader.end(end({ reread }))
    await loader.drain()
    await loader.markVanished(incidents, nowhere)
    expect(await gone()).toEqual(['incident 1', 'incident 3'])
    expect(loader.counts.vanished).toBe(2)
    expect(await titles()).toHaveLength(6)
    // A second run does not mark the rows again, so `vanished_at` keeps the first time.
    const again = createLoader(
      warehouse(),
      { runId: 2, accountId: 1n },
      { ...standing, now: () => (epoch + 99) * 1_000 },
    )
    again.end(end({ reread }))
    await again.drain()
    await again.markVanished(incidents, nowhere)
    expect(again.counts.vanished).toBe(0)
    expect(
      await rowsOf(warehouse(), 'select vanished_at from incidents where vanished_at is not null'),
    ).toEqual([{ vanished_at: epoch }, { vanished_at: epoch }])
  })

  test('are all marked missing if the window returned no rows', async () => {
    await opened()
    const loader = createLoader(warehouse(), { runId: 1, accountId: 1n }, standing)
    await loader.add(page([1, 2, 3, 4]))
    loader.end(end({ reread: { ...reread, keys: new Set() } }))
    await loader.drain()
    await loader.markVanished(incidents, nowhere)
    expect(await gone()).toEqual(['incident 1', 'incident 2', 'incident 3'])
  })

  test('are no longer marked missing once the service returns them', async () => {
    await opened()
    const loader = createLoader(warehouse(), { runId: 1, accountId: 1n }, standing)
    await loader.add(page([2, 3]))
    loader.end(end({ reread }))
    await loader.drain()
    await loader.markVanished(incidents, nowhere)
    const next = createLoader(warehouse(), { runId: 2, accountId: 1n }, standing)
    await next.add(page([2, 3]))
    await next.drain()
    expect(await gone()).toEqual([])
    expect(next.counts).toMatchObject({ inserted: 0, replaced: 1 })
  })
})
