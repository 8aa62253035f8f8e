import { describe, expect, test } from 'vitest'
import { readWatermark } from '../../src/sync/ledger.ts'
import { atOnce, standingTime } from '../support/clock.ts'
import { DAY, epoch, type FakeService, fakeService, incident, refused } from '../support/service.ts'
import { running } from './running.ts'

const { count, run, runs, warehouse } = running()

describe('a run that was killed', () => {
  /** Runs a sync that is stopped after the given number of pages of incidents. */
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

  test('is continued at its last cursor', async () => {
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
    // Seven pages remained. One more request showed that the list was complete, and another read the last minute.
    expect(asked).toHaveLength(9)
  })

  test('is continued at the beginning of the window if the service no longer has the cursor', async () => {
    const service = dense()
    await killed(service, 5, epoch + DAY)
    let forgotten = 1
    service.before = (name, input) =>
      input.search_after_ctx === '500' && forgotten-- > 0 ? refused(name, 'InvalidParameter') : undefined
    expect(await run(service, epoch + DAY + 60)).toMatchObject({ status: 'ok' })
    expect(await count('incidents')).toBe(1_200)
  })

  test('passes its count of quarantined records to the run that continues it', async () => {
    const service = dense()
    const [spoilt] = service.incidents
    const right = { ...spoilt! }
    Object.assign(spoilt!, { title: 7 })
    await killed(service, 5, epoch + DAY)
    expect(await count('quarantine')).toBe(1)
    const next = { status: 'partial', quarantined: 1, stillWaiting: 0, asOf: epoch + DAY }
    expect(await run(service, epoch + DAY + 60)).toMatchObject(next)
    expect(await count('incidents')).toBe(1_199)
    // A later run counts the record as quarantined until a valid copy is read.
    expect(await run(service, epoch + DAY + 120)).toMatchObject({ status: 'ok', stillWaiting: 1 })
    Object.assign(spoilt!, right)
    expect(await run(service, epoch + DAY + 180)).toMatchObject({ status: 'ok', stillWaiting: 0 })
    expect(await count('incidents')).toBe(1_200)
  })

  test('is complete once it is continued, if it had read all windows before', async () => {
    const service = fakeService()
    service.incidents = [incident(1, { channel_id: 7 })]
    service.addChannels([7])
    const stop = new AbortController()
    const now = epoch + 10 * DAY
    service.before = (name) => (name === 'channel/info' ? stop.abort(new Error('stopped')) : undefined)
    const more = { effects: standingTime(5_000, atOnce), signal: stop.signal }
    await expect(run(service, now, more)).rejects.toThrow('stopped')
    expect(await readWatermark(warehouse().db, 1n)).toMatchObject({ isComplete: false })
    service.before = () => undefined
    const asked = service.calls.length
    expect(await run(service, now)).toMatchObject({ complete: true, asOf: now })
    expect(service.calls.slice(asked).filter(({ name }) => name === 'incident/list')).toEqual([])
    expect(await readWatermark(warehouse().db, 1n)).toEqual({ asOf: now, isComplete: true })
  })
})
