import type { KyselyPlugin } from 'kysely'
import { describe, expect, test } from 'vitest'
import { createLoader } from '../../src/sync/loader.ts'
import { epoch, incident } from '../support/service.ts'
import { rowsOf } from '../support/warehouse.ts'
import { end, loading, page, standing } from './loading.ts'

const { bookmarks, opened, titles, warehouse } = loading()

describe('a batch of read records', () => {
  test('is stored with its checkpoints once the batch is full', async () => {
    await opened(2)
    const loader = createLoader(warehouse(), { runId: 1, accountId: 1n }, standing, { batchRows: 3 })
    await loader.add(page([1, 2]))
    expect(await titles()).toEqual([])
    await loader.add(page([3], { windowId: 1 }))
    await loader.add(page([4]))
    await expect.poll(titles).toEqual(['incident 1', 'incident 2', 'incident 3'])
    expect(await bookmarks()).toMatchObject([
      { state: 'open', cursor: 'after 2', rows_read: 2, requests: 1, total_seen: 10 },
      { state: 'open', cursor: 'after 3', rows_read: 1 },
    ])
    loader.end(end())
    await loader.drain()
    expect(await titles()).toHaveLength(4)
    expect(await bookmarks()).toMatchObject([
      { state: 'done', cursor: null, rows_read: 3, requests: 2 },
      { state: 'open' },
    ])
    expect(loader.counts).toEqual({
      read: 4,
      inserted: 4,
      replaced: 0,
      vanished: 0,
      quarantined: 0,
    })
  })

  test('is stored before it is full if its records are unusually large', async () => {
    await opened()
    const loader = createLoader(warehouse(), { runId: 1, accountId: 1n }, standing)
    const large = (index: number) => incident(index, { description: 'x'.repeat(6_000_000) })
    for (const index of [1, 2, 3]) await loader.add(page([], { accepted: [large(index)] }))
    expect(await titles()).toEqual([])
    await loader.add(page([], { accepted: [large(4)] }))
    await expect.poll(titles).toHaveLength(4)
    await loader.drain()
  })

  describe('waits', () => {
    /** A loader whose timers end only when the test calls `wake`. */
    async function waiting() {
      await opened()
      const sleeps: (() => void)[] = []
      const sleep = () => new Promise<void>((resolve) => sleeps.push(resolve))
      const loader = createLoader(warehouse(), { runId: 1, accountId: 1n }, { ...standing, sleep })
      return { loader, sleeps, wake: () => sleeps.shift()!() }
    }

    test('while pages arrive, and is stored once no page arrives, however small the batch is', async () => {
      const { loader, sleeps, wake } = await waiting()
      await loader.add(page([1]))
      await loader.add(page([2]))
      wake()
      // A page arrived after the batch began, so the batch waits again.
      await expect.poll(() => sleeps.length).toBe(1)
      expect(await titles()).toEqual([])
      wake()
      await expect.poll(titles).toEqual(['incident 1', 'incident 2'])
      await loader.add(page([3]))
      await loader.drain()
      // The batch was stored in the meantime, so the timer must do nothing.
      wake()
      await loader.drain()
      expect(loader.counts).toMatchObject({ read: 3, inserted: 3 })
    })

    test('only for a limited time, even if pages keep arriving', async () => {
      const { loader, sleeps, wake } = await waiting()
      let pages = 1
      await loader.add(page([pages]))
      while ((await titles()).length === 0 && pages < 50) {
        await loader.add(page([++pages]))
        if (sleeps.length > 0) wake()
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      expect(pages).toBeGreaterThan(2)
      expect(pages).toBeLessThan(50)
    })
  })
})

describe('the content of a batch', () => {
  test('includes quarantined records, undocumented fields and requested ids', async () => {
    await opened()
    const loader = createLoader(warehouse(), { runId: 1, accountId: 1n }, standing)
    const payload = '{"hostile":"\'; drop table incidents; --"}'
    const rejected = [{ payload, key: 'k', path: 'a.0', reason: 'no' }]
    await loader.add(page([1], { rejected, unknown: new Set(['mood']), checked: ['1', '2'], missing: ['2'] }))
    await loader.add(page([2], { unknown: new Set(['mood', 'x']), checked: ['2'] }))
    await loader.drain()
    expect(await rowsOf(warehouse(), 'select * from quarantine')).toEqual([
      {
        run_id: 1,
        account_id: 1,
        resource: 'incidents',
        operation: 'incident/list',
        request_id: 'r-1',
        path: 'a.0',
        reason: 'no',
        payload,
        seen_at: epoch,
        record_key: 'k',
        first_seen_at: epoch,
        times_seen: 1,
      },
    ])
    expect(await rowsOf(warehouse(), 'select field, kind, run_id from schema_drift order by field')).toEqual([
      { field: 'mood', kind: 'unknown field', run_id: 1 },
      { field: 'x', kind: 'unknown field', run_id: 1 },
    ])
    expect(await rowsOf(warehouse(), 'select id, is_missing from sync_checks order by id')).toEqual([
      { id: '1', is_missing: false },
      { id: '2', is_missing: false },
    ])
    expect(loader.counts).toMatchObject({ read: 3, quarantined: 1 })
  })

  test('stores the requested ids of 200 pages without a statement for each page', async () => {
    const statementsFor = async (pages: number) => {
      let statements = 0
      const counter: KyselyPlugin = {
        transformQuery: ({ node }) => {
          statements++
          return node
        },
        transformResult: async ({ result }) => result,
      }
      const counted = { ...warehouse(), db: warehouse().db.withPlugin(counter) }
      const loader = createLoader(counted, { runId: 1, accountId: 1n }, standing, { batchRows: 1_000 })
      for (let index = 0; index < pages; index++)
        await loader.add(page([index], { checked: [`c${index}`, `gone${index}`], missing: [`gone${index}`] }))
      await loader.drain()
      return statements
    }
    await opened()
    expect(await statementsFor(200)).toBeLessThanOrEqual(2 * (await statementsFor(1)))
    expect(
      await rowsOf(
        warehouse(),
        'select is_missing, count(*)::int as n from sync_checks group by all order by all',
      ),
    ).toEqual([
      { is_missing: false, n: 200 },
      { is_missing: true, n: 200 },
    ])
  })

  test('can be 10,000 records that are all invalid', async () => {
    await opened()
    const loader = createLoader(warehouse(), { runId: 1, accountId: 1n }, standing)
    const rejected = Array.from({ length: 10_000 }, (_, index) => ({
      payload: `{"n":${index}}`,
      key: null,
      path: '',
      reason: 'no',
    }))
    const unknown = new Set(Array.from({ length: 300 }, (_, index) => `field ${index}`))
    await loader.add(page([], { rejected, unknown }))
    await loader.drain()
    expect(await rowsOf(warehouse(), 'select count(distinct payload)::int as n from quarantine')).toEqual([
      { n: 10_000 },
    ])
    expect(await rowsOf(warehouse(), 'select count(*)::int as n from schema_drift')).toEqual([{ n: 300 }])
  })
})
