import { describe, expect, test } from 'vitest'
import { DAY, type Json, NOW, open, readAll, type Talk } from '../support/sandbox.ts'
import { sideDoor } from '../support/side-door.ts'

const WINDOW = { start_time: NOW - 20 * DAY, end_time: NOW, limit: 20 }

async function faulty(faults: Record<string, number>): Promise<Talk> {
  const service = await open({ faults: {} })
  const response = await sideDoor(service.baseUrl, 'faults', faults)
  expect(response.status).toBe(200)
  return service
}
const page = async (service: Talk, more: Json = {}) =>
  (await service.post('/incident/list', { ...WINDOW, ...more })).body.data
const ids = (data: Json): string[] => data.items.map((one: Json) => one.incident_id)

describe('faults', () => {
  test('status_429 and status_500 answer with their envelopes, as often as asked', async () => {
    const service = await faulty({ status_429: 0.3, status_500: 0.3 })
    const counts: Record<number, number> = {}
    for (let k = 0; k < 200; k++) {
      const { status } = await service.post('/team/infos', { team_ids: [] })
      counts[status] = (counts[status] ?? 0) + 1
    }
    expect(Object.keys(counts)).toEqual(['200', '429', '500'])
    expect(counts[429]).toBeGreaterThan(35)
    expect(counts[429]).toBeLessThan(85)
    expect(counts[500]).toBeGreaterThan(20)
  })

  test('status_429 says how long to wait, status_429_bare does not, and neither counts as beyond the limits', async () => {
    const bare = await faulty({ status_429_bare: 1 })
    expect((await bare.post('/team/infos', { team_ids: [] })).headers.get('retry-after')).toBeNull()
    const polite = await faulty({ status_429: 1 })
    expect((await polite.post('/team/infos', { team_ids: [] })).headers.get('retry-after')).toBe('1')
    for (const service of [bare, polite])
      expect(service.stats()).toMatchObject({ rate_limited: 1, beyond_limits: 0 })
  })

  test('the same seed meets the same faults, another seed others', async () => {
    const run = async (seed: number) => {
      const service = await open({ seed, faults: { status_500: 0.5 } })
      const statuses = []
      for (let k = 0; k < 40; k++) statuses.push((await service.post('/team/infos', { team_ids: [] })).status)
      return statuses
    }
    const [first, same, other] = [await run(5), await run(5), await run(6)]
    expect(first).toEqual(same)
    expect(first).not.toEqual(other)
  })

  test('reset cuts the connection, truncate cuts the body', async () => {
    await expect(page(await faulty({ reset: 1 }))).rejects.toThrow()
    const service = await faulty({ truncate: 1 })
    const response = await fetch(`${service.baseUrl}/incident/list?app_key=${service.appKey}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(WINDOW),
    })
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow()
  })

  test('slow_ms and latencyMs wait', async () => {
    const service = await open({ latencyMs: 120 })
    const began = performance.now()
    await service.post('/team/infos', { team_ids: [] })
    expect(performance.now() - began).toBeGreaterThan(115)
  })

  test('wrong_shape spoils one row of a page, or a whole payload', async () => {
    const service = await faulty({ wrong_shape: 1 })
    const bad = (await page(service)).items.filter((one: Json) => typeof one.start_time !== 'number')
    expect(bad.length).toBe(1)
    expect((await service.post('/team/infos', { team_ids: [] })).body.data).toBe('not what was promised')
  })

  test('malformed sends a whole answer that no parser takes, wherever it is broken', async () => {
    const service = await faulty({ malformed: 1 })
    for (let k = 0; k < 50; k++) {
      const response = await fetch(`${service.baseUrl}/member/list?app_key=${service.appKey}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"limit":2}',
      })
      const text = await response.text()
      expect([response.status, Number(response.headers.get('content-length'))]).toEqual([
        200,
        Buffer.byteLength(text),
      ])
      expect(text.startsWith('{')).toBe(true)
      expect(() => JSON.parse(text)).toThrow(SyntaxError)
    }
  })

  test('wrong_payload spoils a page as a whole', async () => {
    const service = await faulty({ wrong_payload: 1 })
    expect(await page(service)).toBe('not what was promised')
  })

  test('repeat_cursor gives the cursor of the request back', async () => {
    const service = await faulty({ repeat_cursor: 1 })
    const { search_after_ctx } = await page(service)
    expect((await page(service, { search_after_ctx })).search_after_ctx).toBe(search_after_ctx)
  })

  test('duplicate_row repeats a row, drop_row leaves one out, total stays right', async () => {
    const twice = await page(await faulty({ duplicate_row: 1 }))
    expect([ids(twice).length, new Set(ids(twice)).size]).toEqual([21, 20])
    const service = await faulty({ drop_row: 1 })
    const { items, total } = await readAll(service, WINDOW)
    expect(items.length).toBe(total - Math.ceil(total / 20))
  })

  test('a fault that does not exist, or no probability, is refused', async () => {
    const service = await open()
    for (const faults of [{ status_418: 1 }, { reset: 2 }, { slow_ms: -1 }, []]) {
      const response = await sideDoor(service.baseUrl, 'faults', faults)
      expect(response.status).toBe(400)
    }
    expect(await service.control('faults')).toMatchObject({ status_429: 0, reset: 0, slow_ms: 0 })
  })
})
