import { describe, expect, test } from 'vitest'
import { ConfigError, WarehouseError } from '../../src/errors.ts'
import { createLoader } from '../../src/sync/loader.ts'
import { gated } from '../support/warehouse.ts'
import { end, loading, page, standing } from './loading.ts'

const { bookmarks, opened, titles, warehouse } = loading()

describe('a batch that cannot be stored', () => {
  const full = new Error('IO Error: Could not write file "x.wal": No space left on device')

  test('leaves no rows or checkpoints, and makes all later batches fail', async () => {
    await opened()
    const told: unknown[] = []
    const loader = createLoader(
      gated(warehouse(), async (commit) => commit === 2 && Promise.reject(full)),
      { runId: 1, accountId: 1n },
      standing,
      {
        batchRows: 1,
        onFailure: (error) => told.push(error),
      },
    )
    await loader.add(page([1]))
    await expect.poll(titles).toEqual(['incident 1'])
    await loader.add(page([2, 3]))
    loader.end(end())
    const error: unknown = await loader.drain().catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(WarehouseError)
    expect(error).toMatchObject({
      message: `Storing 2 rows of incidents failed: ${full.message}`,
      cause: full,
    })
    expect((error as WarehouseError).next).toMatch(/Free up disk space/)
    expect(told).toEqual([error])
    await expect(loader.add(page([4]))).rejects.toBe(error)
    await expect(loader.drain()).rejects.toBe(error)
    expect(await titles()).toEqual(['incident 1'])
    expect(await bookmarks()).toMatchObject([{ state: 'open', cursor: 'after 1', rows_read: 1 }])
    expect(loader.counts).toMatchObject({ read: 1, inserted: 1 })
  })

  test('leaves no rows even if only the checkpoint of its window cannot be stored', async () => {
    await opened()
    const loader = createLoader(warehouse(), { runId: 1, accountId: 1n }, standing)
    await loader.add(page([1]))
    loader.end(end({ reread: { window: { start: 0, end: Number.NaN }, ids: null, keys: new Set() } }))
    await expect(loader.drain()).rejects.toThrow(/^Storing 1 row of incidents failed/)
    expect(await titles()).toEqual([])
    expect(await bookmarks()).toMatchObject([{ state: 'open', cursor: null, rows_read: 0 }])
  })

  test('is reported with the original error if Faultline itself raised that error', async () => {
    await opened()
    const ours = new ConfigError('ours')
    const loader = createLoader(
      gated(warehouse(), () => Promise.reject(ours)),
      { runId: 1, accountId: 1n },
      standing,
    )
    await loader.add(page([1]))
    await expect(loader.drain()).rejects.toBe(ours)
  })
})

test('readers wait while one batch is stored and the next batch is full, to limit memory', async () => {
  await opened()
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const loader = createLoader(
    gated(warehouse(), () => gate),
    { runId: 1, accountId: 1n },
    standing,
    { batchRows: 10 },
  )
  let taken = 0
  const readers = Array.from({ length: 8 }, async (_, reader) => {
    for (let index = 0; index < 20; index++) {
      await loader.add(page([reader * 100 + index]))
      taken++
    }
  })
  await expect.poll(() => taken).toBeGreaterThanOrEqual(20)
  await new Promise((resolve) => setTimeout(resolve, 30))
  // The 20 pages fill two batches, of which one is being stored. Each of the 8 readers may have one more page.
  expect(taken).toBeLessThanOrEqual(20 + 8)
  open()
  await Promise.all(readers)
  await loader.drain()
  expect(taken).toBe(160)
  expect(await titles()).toHaveLength(160)
})
