import { describe, expect, test } from 'vitest'
import { NetworkError, WarehouseError } from '../../src/errors.ts'
import { resources } from '../../src/resources/index.ts'
import { type Progress, type RunOptions, type RunSummary, runSync } from '../../src/sync/run-sync.ts'
import type { SyncScope } from '../../src/sync/slice.ts'
import { forever, standingTime } from '../support/clock.ts'
import { DAY, epoch, type FakeService, fakeService, incident, refused } from '../support/service.ts'
import { emptyWarehouse, gated, rowsOf } from '../support/warehouse.ts'

const warehouse = emptyWarehouse()
const start = epoch + 100 * DAY

/** A clock that stands, and no waiting. */
const effects = standingTime(5_000, forever)

/** Never answers: rejects when the reader gives up. */
function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason)
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function run(
  service: FakeService,
  now = start,
  more: Partial<Omit<RunOptions, 'scope'>> & { scope?: Partial<SyncScope> } = {},
): Promise<RunSummary> {
  const { scope, ...options } = more
  return runSync({
    client: service.client,
    warehouse: warehouse(),
    accountId: 1n,
    accountName: null,
    resources,
    effects,
    concurrency: 4,
    version: '1.2.3',
    signal: new AbortController().signal,
    ...options,
    scope: { now, since: epoch, lookbackDays: 31, windowSeconds: 31 * DAY, full: false, ...scope },
  })
}

const runs = () =>
  rowsOf(
    warehouse(),
    'select run_id, status, as_of_at, service_time_at, rows_read, requests, version, message from sync_runs order by run_id',
  )
const count = async (from: string) =>
  (await rowsOf(warehouse(), `select count(*)::int as n from ${from}`))[0]!.n
const windows = (where = 'true') =>
  rowsOf(
    warehouse(),
    `select run_id, reason, state, rows_read, total_seen, cursor, message from sync_windows where resource = 'incidents' and ${where} order by window_id`,
  )
const calls = (service: FakeService, name: string) => service.calls.filter((call) => call.name === name)

/** A service with 300 incidents over 100 days, in two channels of one team. */
function filled(): FakeService {
  const service = fakeService()
  service.incidents = Array.from({ length: 300 }, (_, index) =>
    incident(index * 8, { channel_id: [0, 7, 2n ** 60n][index % 3] }),
  )
  service.channels.set('7', { channel_id: 7, channel_name: 'seven', status: 'enabled', team_id: 70 })
  service.channels.set(String(2n ** 60n), {
    channel_id: 2n ** 60n,
    channel_name: 'big',
    status: 'enabled',
    team_id: 70,
  })
  service.teams = [{ team_id: 70, team_name: 'seventy', person_ids: [1, 2n ** 61n] }]
  const member = { account_id: 1, status: 'enabled', created_at: 1, updated_at: 2 }
  service.members = Array.from({ length: 150 }, (_, index) => ({
    ...member,
    member_id: index,
    member_name: `m${index}`,
    account_role_ids: [2],
  }))
  service.folders = [{ folder_id: 1, folder_name: 'all', rule_total: 3, triggered_rule_count: 1 }]
  return service
}

describe('a first run', () => {
  test('reads everything of every resource, and says so', async () => {
    const service = filled()
    const summary = await run(service)
    expect(summary).toMatchObject({
      runId: 1,
      status: 'ok',
      complete: true,
      asOf: start,
      failures: [],
      quarantined: 0,
    })
    expect(summary.requests).toBe(service.calls.length)
    expect(await count('incidents')).toBe(300)
    expect(await count('incident_responders')).toBe(300)
    expect(await rowsOf(warehouse(), 'select channel_id, team_id from channels order by channel_id')).toEqual(
      [
        { channel_id: 7, team_id: 70 },
        { channel_id: 2n ** 60n, team_id: 70 },
      ],
    )
    expect(await rowsOf(warehouse(), 'select person_id from team_members order by ordinal')).toEqual([
      { person_id: 1 },
      { person_id: 2n ** 61n },
    ])
    expect(await count('members')).toBe(150)
    expect(await count('member_roles')).toBe(150)
    expect(await rowsOf(warehouse(), 'select snapshot_at, rule_total from folder_rule_status')).toEqual([
      { snapshot_at: start, rule_total: 3 },
    ])
    expect(await runs()).toEqual([
      {
        run_id: 1,
        status: 'ok',
        as_of_at: start,
        service_time_at: start,
        rows_read: summary.read,
        requests: summary.requests,
        version: '1.2.3',
        message: '',
      },
    ])
    const all = await windows()
    expect(
      all.every(({ state, reason, cursor }) => state === 'done' && reason === 'backfill' && cursor === null),
    ).toBe(true)
    expect(all.reduce((sum, { total_seen }) => sum + Number(total_seen), 0)).toBeGreaterThanOrEqual(300)
  })

  test('tells its progress, and ends at all of it', async () => {
    const told: Progress[] = []
    const summary = await run(filled(), start, { onProgress: (progress) => told.push(progress) })
    const last = told.at(-1)!
    expect(last).toMatchObject({
      slicesDone: summary.slices,
      slicesPlanned: summary.slices,
      requests: summary.requests,
    })
    expect(told.map(({ resource }) => resource)).toEqual(
      expect.arrayContaining(['incidents', 'channels', 'teams', 'members', 'folder_rule_status']),
    )
    for (let index = 1; index < told.length; index++) {
      expect(told[index]!.slicesDone).toBeGreaterThanOrEqual(told[index - 1]!.slicesDone)
      expect(told[index]!.requestsPlanned).toBeGreaterThanOrEqual(told[index]!.requests)
    }
  })

  test('of chosen resources says nothing about what it left out', async () => {
    const service = filled()
    const members = resources.filter((one) => one.table === 'members')
    expect(await run(service, start, { resources: members })).toMatchObject({
      status: 'ok',
      complete: true,
      asOf: null,
    })
    expect(new Set(service.calls.map(({ name }) => name))).toEqual(new Set(['member/list']))
  })

  test('of other resources is not whole while the windows of an earlier run are missing', async () => {
    const service = filled()
    const channels = resources.filter((one) => one.table === 'channels')
    service.before = (name, input) => {
      if (name === 'incident/list' && Number(input.start_time) > start - 40 * DAY)
        throw new NetworkError('incident/list: gone', { next: 'Wait.' })
      return undefined
    }
    expect(await run(service)).toMatchObject({ status: 'failed', complete: false })
    service.before = () => undefined
    expect(await run(service, start, { resources: channels })).toMatchObject({
      status: 'ok',
      complete: false,
    })
    expect(await run(service)).toMatchObject({ status: 'ok', complete: true })
    expect(await run(service, start, { resources: channels })).toMatchObject({ status: 'ok', complete: true })
  })

  test('of an old stretch does not take back what was read after it', async () => {
    const service = filled()
    await run(service, start)
    const until = start - 50 * DAY
    expect(await run(service, start + 60, { scope: { until } })).toMatchObject({ status: 'ok', asOf: start })
    expect(await run(service, start + 120)).toMatchObject({ asOf: start + 120 })
  })

  test('up to a moment is as of that moment', async () => {
    const until = start - 50 * DAY
    expect(await run(filled(), start, { scope: { until } })).toMatchObject({ asOf: until })
    // A request includes both ends of its window.
    expect(await count('incidents')).toBe(151)
  })
})

describe('the next run', () => {
  test('that finds nothing changed writes nothing, and asks for little', async () => {
    const service = filled()
    const first = await run(service)
    const before = service.calls.length
    const second = await run(service, start + 1)
    expect(second).toMatchObject({ status: 'ok', inserted: 1, replaced: 0, vanished: 0 })
    expect(await rowsOf(warehouse(), 'select distinct _run_id as run from incidents')).toEqual([
      { run: first.runId },
    ])
    expect(await count('incident_versions')).toBe(0)
    expect(calls({ ...service, calls: service.calls.slice(before) }, 'channel/info')).toEqual([])
    expect(new Set((await windows('run_id = 2')).map(({ reason }) => reason))).toEqual(
      new Set(['new', 'lookback', 'sweep', 'reopened']),
    )
  })

  test('sees what changed lately, what is open however old, and what is gone', async () => {
    const service = filled()
    const old = service.incidents[3]!
    Object.assign(old, { progress: 'Processing', close_time: 0, responders: [] })
    await run(service)
    Object.assign(old, { progress: 'Closed', close_time: start, updated_at: start })
    service.incidents[299] = incident(299 * 8, { title: 'changed', updated_at: start + 5 })
    const [gone] = service.incidents.splice(290, 1)
    service.incidents.push(
      incident(0, { incident_id: 'f'.repeat(24), start_time: start + 100, title: 'new' }),
    )
    const second = await run(service, start + DAY)
    expect(second).toMatchObject({ status: 'ok', inserted: 2, replaced: 2, vanished: 1 })
    expect(
      await rowsOf(
        warehouse(),
        `select title, progress from incidents where _run_id = 2 order by start_time`,
      ),
    ).toEqual([
      { title: 'incident 24', progress: 'Closed' },
      { title: 'changed', progress: 'Closed' },
      { title: 'new', progress: 'Closed' },
    ])
    expect(
      await rowsOf(warehouse(), 'select incident_id from incidents where vanished_at is not null'),
    ).toEqual([{ incident_id: gone!.incident_id }])
    expect(await count('incident_versions')).toBe(2)
  })

  test('does not ask again for a channel the service does not have', async () => {
    const service = filled()
    service.channels.delete('7')
    expect(await run(service)).toMatchObject({ status: 'ok' })
    await run(service, start + 1)
    expect(calls(service, 'channel/info')).toHaveLength(2)
    expect(await rowsOf(warehouse(), `select id from sync_checks where is_missing`)).toEqual([{ id: '7' }])
  })
})

describe('a total that does not fit', () => {
  test('is read once more, then left unproven: the run is partial, and the next one reads that window again', async () => {
    const service = filled()
    const lying = (input: Record<string, unknown>) => Number(input.start_time) === epoch - 1
    service.before = (name, input) => {
      if (name !== 'incident/list' || !lying(input)) return undefined
      return { items: [service.incidents[0]], total: 2, has_next_page: false }
    }
    const summary = await run(service)
    expect(summary).toMatchObject({ status: 'partial', complete: true, asOf: start })
    expect(calls(service, 'incident/list').filter(({ input }) => lying(input))).toHaveLength(2)
    expect(await windows(`state <> 'done'`)).toMatchObject([
      { state: 'unproven', message: 'read 1 records, the service says 2', rows_read: 2, total_seen: 2 },
    ])
    service.before = () => undefined
    expect(await run(service, start + DAY)).toMatchObject({ status: 'ok' })
    expect(await count('incidents')).toBe(300)
  })

  test('that is right at the second reading is proven', async () => {
    const service = filled()
    let lies = 1
    service.before = (name, input) =>
      name === 'incident/list' && Number(input.start_time) === epoch - 1 && lies-- > 0
        ? { items: [], total: 2, has_next_page: false }
        : undefined
    expect(await run(service)).toMatchObject({ status: 'ok' })
  })

  test.each([1e308, 1.5, -1, 'many', {}])('that is no count, such as %j, fails its window', async (total) => {
    const service = filled()
    const answer = { items: [service.incidents[0]], total, has_next_page: false }
    service.before = (name) => (name === 'incident/list' ? answer : undefined)
    const { status, failures } = await run(service)
    expect(status).toBe('failed')
    expect(failures[0]?.message).toContain('total: expected a count')
  })

  test('of 1,000 or more is not believed', async () => {
    const service = fakeService()
    service.incidents = Array.from({ length: 1_234 }, (_, index) =>
      incident(index, { start_time: epoch + index }),
    )
    expect(await run(service, epoch + DAY)).toMatchObject({ status: 'ok', inserted: 1_234 })
  })

  test('counts a record that does not fit as read', async () => {
    const service = filled()
    service.incidents[5] = { ...service.incidents[5], start_time: 'soon' }
    service.before = (name, input) =>
      name === 'incident/list' && Number(input.start_time) === epoch - 1
        ? { items: [service.incidents[5], service.incidents[0]], total: 2, has_next_page: false }
        : undefined
    expect(await run(service)).toMatchObject({ status: 'partial', quarantined: 1 })
    expect(await windows(`state <> 'done'`)).toEqual([])
    expect(
      await rowsOf(warehouse(), 'select resource, path, request_id is not null as known from quarantine'),
    ).toEqual([{ resource: 'incidents', path: 'start_time', known: true }])
  })
})

describe('a part that fails', () => {
  test('is told, makes the run red, and the others finish', async () => {
    const service = filled()
    service.before = (name) => (name === 'team/infos' ? refused(name, 'InternalError') : undefined)
    const summary = await run(service)
    expect(summary).toMatchObject({
      status: 'failed',
      complete: true,
      asOf: start,
      failures: [
        { resource: 'teams', message: 'team/infos: InternalError (request r-0)', next: 'Look at it.' },
      ],
    })
    expect(await count('members')).toBe(150)
    expect(await runs()).toMatchObject([
      { status: 'failed', as_of_at: start, message: 'teams: team/infos: InternalError (request r-0)' },
    ])
    // It has nothing to be continued: the next run looks at the last days again.
    service.before = () => undefined
    expect(await run(service, start + 60)).toMatchObject({ status: 'ok', asOf: start + 60 })
    expect((await windows('run_id = 2')).some(({ reason }) => reason === 'lookback')).toBe(true)
    expect(await count('team_members')).toBe(2)
  })

  test('of windows leaves the run without a moment it is as of; the next run reads only what is missing', async () => {
    const service = filled()
    const broken = (input: Record<string, unknown>) => Number(input.start_time) > start - 40 * DAY
    service.before = (name, input) => {
      if (name === 'incident/list' && broken(input))
        throw new NetworkError('incident/list: gone', { next: 'Wait.' })
      return undefined
    }
    const first = await run(service)
    expect(first).toMatchObject({ status: 'failed', complete: false, asOf: null })
    expect(first.failures).toEqual([{ resource: 'incidents', message: 'incident/list: gone', next: 'Wait.' }])
    service.before = () => undefined
    const before = service.calls.length
    // The data is as of the first run's beginning: what it read has not been looked at since.
    expect(await run(service, start + 60)).toMatchObject({ status: 'ok', asOf: start })
    expect(await count('incidents')).toBe(300)
    const asked = service.calls
      .slice(before)
      .filter(({ name, input }) => name === 'incident/list' && !input.incident_ids)
    expect(asked.every(({ input }) => broken(input))).toBe(true)
  })

  test('because the answer has no list says so', async () => {
    const service = filled()
    service.before = (name) =>
      name === 'member/list' ? { p: 1, limit: 100, total: 1, items: 'none' } : undefined
    const { failures } = await run(service)
    expect(failures).toHaveLength(1)
    expect(failures[0]!.message).toMatch(
      /member\/list: the answer does not fit the contract: items: expected a list/,
    )
    expect(failures[0]!.next).toMatch(/Quote the request id/)
  })
})

describe('a run that was killed', () => {
  /** Reads one window of 1,200 incidents of which the service gives the first pages, then nothing more. */
  async function killed(service: FakeService, pages: number, now: number): Promise<void> {
    const stop = new AbortController()
    let given = 0
    service.before = async (name) => {
      if (name === 'incident/list' && ++given > pages) stop.abort(new Error('stopped'))
    }
    await expect(run(service, now, { signal: stop.signal })).rejects.toThrow('stopped')
    service.before = () => undefined
  }

  function dense(): FakeService {
    const service = fakeService()
    service.incidents = Array.from({ length: 1_200 }, (_, index) =>
      incident(index, { start_time: epoch + index }),
    )
    return service
  }

  test('goes on at its cursor', async () => {
    const service = dense()
    const now = epoch + DAY
    await killed(service, 5, now)
    expect(await count('incidents')).toBe(500)
    expect(await runs()).toMatchObject([{ status: 'failed', as_of_at: null, message: 'stopped' }])
    const before = service.calls.length
    expect(await run(service, now + 60)).toMatchObject({ status: 'ok', asOf: now })
    expect(await count('incidents')).toBe(1_200)
    const asked = service.calls.slice(before).filter(({ name }) => name === 'incident/list')
    expect(asked[0]!.input.search_after_ctx).toBe('500')
    // Seven pages that were left, and one for the minute that has passed.
    expect(asked).toHaveLength(8)
  })

  test('twice goes on where the second was killed', async () => {
    const service = dense()
    await killed(service, 5, epoch + DAY)
    await killed(service, 3, epoch + DAY + 60)
    const [left] = await windows(`run_id = 2 and reason = 'backfill'`)
    expect(Number(left!.cursor)).toBeGreaterThan(500)
    const before = service.calls.length
    expect(await run(service, epoch + DAY + 120)).toMatchObject({ status: 'ok', asOf: epoch + DAY })
    expect(service.calls[before]!.input.search_after_ctx).toBe(left!.cursor)
    expect(await count('incidents')).toBe(1_200)
  })

  test('reads the window from its beginning when the service does not know the cursor any more', async () => {
    const service = dense()
    await killed(service, 5, epoch + DAY)
    let forgotten = 1
    service.before = (name, input) =>
      input.search_after_ctx === '500' && forgotten-- > 0 ? refused(name, 'InvalidParameter') : undefined
    expect(await run(service, epoch + DAY + 60)).toMatchObject({ status: 'ok' })
    expect(await count('incidents')).toBe(1_200)
  })

  test('more than six hours ago is not continued', async () => {
    const service = dense()
    await killed(service, 5, epoch + DAY)
    const now = epoch + DAY + 6 * 3_600 + 1
    expect(await run(service, now)).toMatchObject({ status: 'ok', asOf: now })
    expect(await windows(`run_id = 2 and state = 'done'`)).toMatchObject([{ rows_read: 1_200 }])
  })
})

describe('what ends a run', () => {
  test('a stop: the others end too, what was read is kept, the reason is told', async () => {
    const service = filled()
    const stop = new AbortController()
    service.before = async (_name, input, signal) => {
      if (Number(input.start_time) === epoch - 1) return
      setTimeout(() => stop.abort(new Error('asked to stop')), 10)
      await aborted(signal)
    }
    await expect(run(service, start, { signal: stop.signal })).rejects.toThrow('asked to stop')
    // Four windows were begun, one of them ended and made room for a fifth.
    expect(service.calls).toHaveLength(5)
    expect(await runs()).toMatchObject([{ status: 'failed', as_of_at: null, message: 'asked to stop' }])
    expect(await windows(`state = 'done'`)).toHaveLength(1)
  })

  test('a batch that cannot be stored: nobody reads on', async () => {
    const service = filled()
    const full = gated(warehouse(), () => Promise.reject(new Error('No space left on device')))
    let waiting = 0
    service.before = async (name, input, signal) => {
      if (name !== 'incident/list' || Number(input.start_time) === epoch - 1) return undefined
      waiting++
      await aborted(signal)
      return undefined
    }
    const storesSoon = { ...effects, sleep: async () => {} }
    const error: unknown = await run(service, start, {
      warehouse: full,
      effects: storesSoon,
      concurrency: 20,
    }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(WarehouseError)
    expect(error).toMatchObject({ next: expect.stringMatching(/Free disk space/) })
    expect(waiting).toBeGreaterThan(1)
    expect(await count('incidents')).toBe(0)
    expect(await runs()).toMatchObject([
      { status: 'failed', message: expect.stringMatching(/^Storing \d+ rows of incidents failed/) },
    ])
  })

  test('a mistake of our own: it is not taken for an answer of the service', async () => {
    const service = filled()
    service.before = (name) => {
      if (name === 'channel/info') throw new TypeError('x is not a function')
      return undefined
    }
    await expect(run(service)).rejects.toThrow(TypeError)
    expect(calls(service, 'member/list')).toEqual([])
    expect(await count('incidents')).toBe(300)
    expect(await runs()).toMatchObject([{ status: 'failed', as_of_at: null, message: 'x is not a function' }])
  })
})

test('a repeated cursor fails its window', async () => {
  const service = fakeService()
  service.before = (name) =>
    name === 'incident/list'
      ? { items: [incident(1)], total: 2_000, has_next_page: true, search_after_ctx: 'same' }
      : undefined
  const { failures, complete } = await run(service, epoch + DAY)
  expect(complete).toBe(false)
  expect(failures[0]!.message).toMatch(/this cursor was given before/)
})
