import { describe, expect, test } from 'vitest'
import { NetworkError, WarehouseError } from '../../src/errors.ts'
import { DAY, epoch, refused } from '../support/service.ts'
import { gated } from '../support/warehouse.ts'
import { aborted, calls, effects, filled, running, start } from './running.ts'

const { count, rows, run, runs, warehouse, windows } = running()

describe('a total that does not match the number of records', () => {
  test('makes a sync read its window twice, and then leave the window unverified', async () => {
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
      {
        state: 'unproven',
        message: 'read 1 records, but the total of the service is 2',
        rows_read: 2,
        total_seen: 2,
      },
    ])
    service.before = () => undefined
    expect(await run(service, start + DAY)).toMatchObject({ status: 'ok' })
    expect(await count('incidents')).toBe(300)
  })

  test('causes no error if the total is correct when the window is read again', async () => {
    const service = filled()
    let lies = 1
    service.before = (name, input) =>
      name === 'incident/list' && Number(input.start_time) === epoch - 1 && lies-- > 0
        ? { items: [], total: 2, has_next_page: false }
        : undefined
    expect(await run(service)).toMatchObject({ status: 'ok' })
  })

  test.each([1e308, 1.5, -1, 'many', {}])(
    'makes its window fail if the total is invalid: %j',
    async (total) => {
      const service = filled()
      const answer = { items: [service.incidents[0]], total, has_next_page: false }
      service.before = (name) => (name === 'incident/list' ? answer : undefined)
      const { status, failures } = await run(service)
      expect(status).toBe('failed')
      expect(failures[0]?.message).toContain('total: expected a count')
    },
  )

  test('is not caused by quarantined records, because the total includes those', async () => {
    const service = filled()
    service.incidents[5] = { ...service.incidents[5], start_time: 'soon' }
    service.before = (name, input) =>
      name === 'incident/list' && Number(input.start_time) === epoch - 1
        ? { items: [service.incidents[5], service.incidents[0]], total: 2, has_next_page: false }
        : undefined
    expect(await run(service)).toMatchObject({ status: 'partial', quarantined: 1 })
    expect(await windows(`state <> 'done'`)).toEqual([])
    expect(await rows('select resource, path, request_id is not null as known from quarantine')).toEqual([
      { resource: 'incidents', path: 'start_time', known: true },
    ])
  })
})

describe('a failed request', () => {
  test('is reported and makes the run fail, but all other resources are read', async () => {
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
    // All windows were read, so the next run starts anew and reads the lookback.
    service.before = () => undefined
    expect(await run(service, start + 60)).toMatchObject({ status: 'ok', asOf: start + 60 })
    expect((await windows('run_id = 2')).some(({ reason }) => reason === 'lookback')).toBe(true)
    expect(await count('team_members')).toBe(2)
  })

  test('for a window leaves the run without an as-of time, and the next run reads only failed windows', async () => {
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
    // The data is as of the start of the first run, whose windows were not read again.
    expect(await run(service, start + 60)).toMatchObject({ status: 'ok', asOf: start })
    expect(await count('incidents')).toBe(300)
    const asked = service.calls
      .slice(before)
      .filter(({ name, input }) => name === 'incident/list' && !input.incident_ids)
    expect(asked.every(({ input }) => broken(input))).toBe(true)
  })

  test('is reported if the response does not contain a list', async () => {
    const service = filled()
    service.before = (name) =>
      name === 'member/list' ? { p: 1, limit: 100, total: 1, items: 'none' } : undefined
    const { failures } = await run(service)
    expect(failures).toHaveLength(1)
    expect(failures[0]!.message).toMatch(
      /member\/list: the answer does not fit the contract: items: expected a list/,
    )
    expect(failures[0]!.next).toMatch(/Report the request id/)
  })
})

describe('a run is ended', () => {
  test('by a stop signal, which keeps finished windows and reports the reason', async () => {
    const service = filled()
    const stop = new AbortController()
    service.before = async (_name, input, signal) => {
      if (Number(input.start_time) === epoch - 1) return
      setTimeout(() => stop.abort(new Error('asked to stop')), 10)
      await aborted(signal)
    }
    await expect(run(service, start, { signal: stop.signal })).rejects.toThrow('asked to stop')
    // Four windows are read at once. The fifth began after the first one ended.
    expect(service.calls).toHaveLength(5)
    expect(await runs()).toMatchObject([{ status: 'failed', as_of_at: null, message: 'asked to stop' }])
    expect(await windows(`state = 'done'`)).toHaveLength(1)
  })

  test('by a batch that cannot be stored, which stops all readers', async () => {
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
    expect(error).toMatchObject({ next: expect.stringMatching(/Free up disk space/) })
    expect(waiting).toBeGreaterThan(1)
    expect(await count('incidents')).toBe(0)
    expect(await runs()).toMatchObject([
      { status: 'failed', message: expect.stringMatching(/^Storing \d+ rows of incidents failed/) },
    ])
  })

  test('by an internal error, which is not mistaken for a service error', async () => {
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
