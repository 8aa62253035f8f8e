import { describe, expect, test } from 'vitest'
import type { FakeService } from '../support/service.ts'
import { DAY } from '../support/service.ts'
import { effects, filled, running, start } from './running.ts'

const { run: runAt, count, windows } = running()

/** A time after all incidents of the fake service. */
const NOW = start + 10 * DAY

const run = (service: FakeService, now = NOW, more: Parameters<typeof runAt>[2] = {}) =>
  runAt(service, now, more)

/** Replaces the Date header of each response. `dateOf` returns Unix seconds. */
function dated(
  service: FakeService,
  dateOf: (input: Record<string, unknown>, request: number) => number,
): FakeService {
  let request = 0
  const read: typeof service.client.read = async (name, input, options) => {
    const reply = await service.client.read(name, input, options)
    return { ...reply, serviceTime: dateOf(input as Record<string, unknown>, ++request) * 1_000 }
  }
  return { ...service, client: { ...service.client, read } }
}

const at = (now: number) => ({ effects: { ...effects, now: () => now * 1_000 } })

describe('a response with an older service time than the previous response', () => {
  test('makes its window unverified if the times differ by more than an hour', async () => {
    const service = dated(filled(), ({ start_time }) =>
      Number(start_time) > start - 30 * DAY ? NOW - 3 * DAY : NOW,
    )
    const summary = await run(service)
    expect(summary.status).toBe('partial')
    expect(summary.failures[0]!.message).toMatch(/answers? (is|are) over an hour older than an earlier one/)
    expect(summary.failures[0]!.message).toContain('A cache or proxy probably repeats')
    expect((await windows(`state = 'unproven'`)).length).toBeGreaterThan(0)
  })

  test('does not overwrite a newer record or restore a missing incident', async () => {
    const service = filled()
    const old = structuredClone(service.incidents)
    service.incidents.splice(105, 1)
    await run(service)
    service.incidents[100] = { ...service.incidents[100], title: 'newer' }
    await run(service, NOW + DAY, { scope: { full: true } })
    service.incidents = old
    // The first response has a later date than all others, so the other responses look old. Both records are in the
    // windows after the first one.
    const cached = dated(service, (_, request) => (request === 1 ? NOW + 2 * DAY : NOW))
    const later = await run(cached, NOW + 2 * DAY, { concurrency: 1, scope: { full: true } })
    expect(later.status).toBe('partial')
    expect(await count('incidents')).toBe(299)
    expect(await count(`incidents where title = 'newer'`)).toBe(1)
  })

  test('is accepted if the times differ by a few minutes, because the service’s machines have different clocks', async () => {
    const service = dated(filled(), (_, request) => NOW - (request % 5) * 120)
    expect(await run(service)).toMatchObject({ status: 'ok', failures: [] })
  })

  test('is replaced by a current response when the window is read again', async () => {
    let isOld = true
    const service = dated(filled(), (_, request) => {
      if (request !== 4 || !isOld) return NOW
      isOld = false
      return NOW - DAY
    })
    expect(await run(service)).toMatchObject({ status: 'ok', failures: [] })
  })
})

describe('a service whose time is earlier than at the last sync', () => {
  test('is not read, and the error reports a cache as the likely cause', async () => {
    const service = filled()
    await run(service, NOW, at(NOW))
    const requests = service.calls.length
    service.incidents.splice(295, 1)
    service.incidents[290] = { ...service.incidents[290], title: 'old' }
    const behind = await run(service, NOW - 3 * DAY, at(NOW + DAY))
    expect(behind).toMatchObject({ status: 'partial', complete: false, asOf: null })
    expect(service.calls.length).toBe(requests)
    expect(await count(`incidents where title = 'old'`)).toBe(0)
    expect(behind.failures.at(-1)).toMatchObject({
      resource: 'service',
      message: expect.stringContaining('They probably came from a cache'),
    })
    expect(await count('incidents where vanished_at is not null')).toBe(0)
    expect(await run(service, NOW - 3 * DAY, at(NOW + 2 * DAY))).toMatchObject({ status: 'partial' })
    expect(await run(service, NOW + 3 * DAY, at(NOW + 3 * DAY))).toMatchObject({
      status: 'ok',
      failures: [],
    })
  })

  test('is read if the service time of the last sync was ahead of the local clock', async () => {
    const service = filled()
    await run(service, NOW + 5 * DAY, at(NOW))
    expect(await run(service, NOW + DAY, at(NOW + DAY))).toMatchObject({ status: 'ok', failures: [] })
  })
})
