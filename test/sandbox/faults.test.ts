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

describe('the sandbox with faults', () => {
  test('answers with 429 and 500 at the requested rates (status_429, status_500)', async () => {
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

  test('sends Retry-After with status_429, but not with status_429_bare', async () => {
    const bare = await faulty({ status_429_bare: 1 })
    expect((await bare.post('/team/infos', { team_ids: [] })).headers.get('retry-after')).toBeNull()
    const polite = await faulty({ status_429: 1 })
    expect((await polite.post('/team/infos', { team_ids: [] })).headers.get('retry-after')).toBe('1')
    for (const service of [bare, polite])
      expect(service.stats()).toMatchObject({ rate_limited: 1, beyond_limits: 0 })
  })

  test('injects equal faults for equal seeds and different faults for different seeds', async () => {
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

  test('cuts the connection (reset) or the body (truncate)', async () => {
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

  test('delays each response by the option latencyMs', async () => {
    const service = await open({ latencyMs: 120 })
    const began = performance.now()
    await service.post('/team/infos', { team_ids: [] })
    expect(performance.now() - began).toBeGreaterThan(115)
  })

  test('damages one row of a page or a whole payload (wrong_shape)', async () => {
    const service = await faulty({ wrong_shape: 1 })
    const bad = (await page(service)).items.filter((one: Json) => typeof one.start_time !== 'number')
    expect(bad.length).toBe(1)
    expect((await service.post('/team/infos', { team_ids: [] })).body.data).toBe('not what was promised')
  })

  test('sends invalid JSON with a correct content length (malformed)', async () => {
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

  test('replaces an entire page with a string (wrong_payload)', async () => {
    const service = await faulty({ wrong_payload: 1 })
    expect(await page(service)).toBe('not what was promised')
  })

  test('returns the cursor of the request as the next cursor (repeat_cursor)', async () => {
    const service = await faulty({ repeat_cursor: 1 })
    const { search_after_ctx } = await page(service)
    expect((await page(service, { search_after_ctx })).search_after_ctx).toBe(search_after_ctx)
  })

  test('repeats a row (duplicate_row) or omits a row without changing the total (drop_row)', async () => {
    const twice = await page(await faulty({ duplicate_row: 1 }))
    expect([ids(twice).length, new Set(ids(twice)).size]).toEqual([21, 20])
    const service = await faulty({ drop_row: 1 })
    const { items, total } = await readAll(service, WINDOW)
    expect(items.length).toBe(total - Math.ceil(total / 20))
  })

  test('returns an empty list (empty) or a future updated_at (future_clock)', async () => {
    const none = await page(await faulty({ empty: 1 }))
    expect(none).toMatchObject({ items: [], total: 0, has_next_page: false })
    const { items } = await page(await faulty({ future_clock: 1 }))
    const ahead = items.filter((one: { updated_at: number }) => one.updated_at > NOW)
    expect(ahead).toHaveLength(1)
  })

  const listMembers = async (service: Talk, p = 1, limit = 10) =>
    (await service.post('/member/list', { p, limit, orderby: 'created_at', asc: true })).body.data
  const memberIds = (data: Json): number[] => data.items.map((one: Json) => one.member_id)

  test('repeats or omits members in a list (duplicate_row, drop_row)', async () => {
    const twice = memberIds(await listMembers(await faulty({ duplicate_row: 1 })))
    expect([twice.length, new Set(twice).size]).toEqual([11, 10])
    expect(memberIds(await listMembers(await faulty({ drop_row: 1 })))).toHaveLength(9)
  })

  test('starts a page with the last row of the previous response (shifted_page)', async () => {
    const right = await open()
    const service = await faulty({ shifted_page: 1 })
    const early = { ...WINDOW, start_time: NOW - 40 * DAY, end_time: NOW - 21 * DAY, limit: 100 }
    const before = await page(service, early)
    const shifted = await page(service)
    const own = await page(right)
    expect(ids(shifted)).toEqual([ids(before).at(-1), ...ids(own).slice(0, -1)])
    expect(shifted.total).toBe(own.total)
    const members = [memberIds(await listMembers(service)), memberIds(await listMembers(service, 2))]
    expect(members[1]![0]).toBe(members[0]![9])
    expect(new Set(members.flat()).size).toBe(19)
  })

  test('changes the account of one row in a page (foreign_account)', async () => {
    const service = await faulty({ foreign_account: 1 })
    const { account_id: own } = await service.control('world')
    const foreign = (data: Json) => data.items.filter((one: Json) => one.account_id !== own)
    expect(foreign(await page(service))).toMatchObject([{ account_id: own + 1 }])
    expect(foreign(await listMembers(service))).toMatchObject([{ account_id: own + 1 }])
    expect(foreign(await listMembers(service, 1, 1))).toEqual([])
  })

  test('ignores the window (ignored_window) or repeats the first response (stale_cache)', async () => {
    const early = { start_time: NOW - 60 * DAY, end_time: NOW - 50 * DAY, limit: 20 }
    const { items } = await page(await faulty({ ignored_window: 1 }), early)
    expect(items.length).toBeGreaterThan(0)
    expect(items.every((one: Json) => one.start_time >= NOW - 31 * DAY)).toBe(true)
    const service = await faulty({ stale_cache: 1 })
    const send = () => service.post('/incident/list', { ...WINDOW, ...early })
    const first = await service.post('/incident/list', WINDOW)
    expect(await send()).toMatchObject({ status: 200, body: first.body })
    expect((await service.post('/team/infos', { team_ids: [] })).body.data).toEqual({ items: [] })
  })

  test('removes members and teams and edits closed incidents while a client reads', async () => {
    const service = await faulty({ member_leaves: 1, team_deleted: 1, late_edit: 1 })
    const before = await service.control('world')
    const own = await open()
    const edited = (await service.truth()).length
    for (let k = 0; k < 5; k++) {
      await listMembers(service)
      await service.post('/team/infos', { team_ids: [] })
      await page(service)
    }
    const { counts } = await service.control('world')
    expect([counts.members, counts.teams]).toEqual([before.counts.members - 5, before.counts.teams - 5])
    const truth = await service.truth()
    const was = new Map((await own.truth()).map((one) => [one.incident_id, one]))
    const differ = truth.filter((one) => one.title !== was.get(one.incident_id).title)
    expect(truth).toHaveLength(edited)
    expect(differ.length).toBeGreaterThan(3)
    for (const one of differ)
      expect(one).toMatchObject({
        progress: 'Closed',
        updated_at: NOW,
        title: expect.stringMatching(/ \(corrected\)$/),
      })
  })

  test('rejects an unknown fault or an invalid probability', async () => {
    const service = await open()
    for (const faults of [{ status_418: 1 }, { reset: 2 }, { slow_ms: -1 }, []]) {
      const response = await sideDoor(service.baseUrl, 'faults', faults)
      expect(response.status).toBe(400)
    }
    expect(await service.control('faults')).toMatchObject({ status_429: 0, reset: 0, slow_ms: 0 })
  })
})
