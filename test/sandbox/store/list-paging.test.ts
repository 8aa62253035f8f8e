import { beforeAll, describe, expect, test } from 'vitest'
import { DAY, NOW, open, readAll, type Talk } from '../../support/sandbox.ts'

const WINDOW = { start_time: NOW - 31 * DAY, end_time: NOW }
const byOrder = (a: { start_time: number; incident_id: string }, b: typeof a) =>
  a.start_time - b.start_time || (a.incident_id < b.incident_id ? -1 : 1)

let service: Talk
beforeAll(async () => {
  service = await open({ incidents: 12_000 })
})

describe('paging incident/list by cursor', () => {
  test('returns each incident once, in order, even while the clock moves', async () => {
    const moving = await open({ incidents: 3_000, seed: 7 })
    const before = new Set((await moving.truth()).map((row) => row.incident_id))
    const window = { start_time: NOW - 25 * DAY, end_time: NOW + 5 * DAY }
    const { items } = await readAll(moving, { ...window, limit: 50 }, () => moving.advance(3 * 3_600))
    const ids = items.map((row) => row.incident_id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(items.toSorted(byOrder).reverse()).toEqual(items)
    const after = (await moving.truth()).map((row) => row.incident_id)
    const kept = after.filter((id) => before.has(id))
    const lasting = new Set(kept)
    const expected = (await moving.truth()).filter(
      (row) => lasting.has(row.incident_id) && row.start_time >= window.start_time,
    )
    expect(new Set(ids)).toEqual(new Set([...ids, ...expected.map((row) => row.incident_id)]))
  })

  test('returns a cursor only if a next page exists', async () => {
    const first = await service.post('/incident/list', { ...WINDOW, limit: 10 })
    expect(first.body.data.has_next_page).toBe(true)
    const search_after_ctx = first.body.data.search_after_ctx
    const second = await service.post('/incident/list', { ...WINDOW, limit: 10, p: 7, search_after_ctx })
    const byPage = await service.post('/incident/list', { ...WINDOW, limit: 10, p: 2 })
    expect(second.body.data.items).toEqual(byPage.body.data.items)
    const whole = await service.post('/incident/list', { ...WINDOW, nums: [first.body.data.items[0].num] })
    expect(whole.body.data.has_next_page).toBe(false)
    expect(whole.body.data).not.toHaveProperty('search_after_ctx')
  })

  test('rejects an invalid cursor and names the field in the error', async () => {
    for (const search_after_ctx of ['x', '☃', 'eyJ9', Buffer.from('1.2').toString('base64url')]) {
      const { status, body } = await service.post('/incident/list', { ...WINDOW, search_after_ctx })
      expect([status, body.error.code]).toEqual([400, 'InvalidParameter'])
      expect(body.error.message).toContain('search_after_ctx')
    }
  })
})

describe('paging incident/list by page number', () => {
  test('reaches only the first 10,000 incidents', async () => {
    expect((await service.post('/incident/list', { ...WINDOW, p: 100, limit: 100 })).status).toBe(200)
    const { status, body } = await service.post('/incident/list', { ...WINDOW, p: 101, limit: 100 })
    expect([status, body.error.code]).toEqual([400, 'InvalidParameter'])
  })
})
