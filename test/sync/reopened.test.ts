import { describe, expect, test } from 'vitest'
import { incidents } from '../../src/resources/incidents.ts'
import { atOnce, standingTime } from '../support/clock.ts'
import { DAY, epoch, type FakeService, fakeService, incident, refused } from '../support/service.ts'
import { running } from './running.ts'

const { rows, run } = running()
const effects = standingTime(5_000, atOnce)

const night = (service: FakeService, days: number) =>
  run(service, epoch + days * DAY, { resources: [incidents], effects, scope: { since: epoch - 300 * DAY } })

const stored = async (index: number) =>
  (
    await rows(
      `select progress, vanished_at is not null as has_vanished from incidents where num = '${index}'`,
    )
  )[0]

describe('an incident that is older than the lookback', () => {
  test('is open in the warehouse the night after it was reopened', async () => {
    const service = fakeService()
    service.incidents = [incident(1, { num: '1' })]
    await night(service, 200)
    const [once] = service.incidents
    for (let days = 201; days < 215; days++) {
      const isOpen = days % 2 === 0
      Object.assign(once!, {
        progress: isOpen ? 'Triggered' : 'Closed',
        close_time: isOpen ? 0 : epoch + days * DAY,
        updated_at: epoch + days * DAY - 60,
      })
      expect((await night(service, days)).status).toBe('ok')
      expect(await stored(1), `day ${days}`).toEqual({
        progress: isOpen ? 'Triggered' : 'Closed',
        has_vanished: false,
      })
    }
  })

  test('does not make the closed incidents of its month count as missing while it is open', async () => {
    const service = fakeService()
    service.incidents = [incident(1, { num: '1' }), incident(2, { num: '2', progress: 'Processing' })]
    await night(service, 200)
    await night(service, 201)
    expect(await stored(1)).toEqual({ progress: 'Closed', has_vanished: false })
    // The sweep still reads every month of the past within 17 nights.
    Object.assign(service.incidents[0]!, { title: 'edited', updated_at: epoch + 202 * DAY })
    for (let days = 202; days < 202 + 17; days++) await night(service, days)
    expect(await rows(`select title from incidents where num = '1'`)).toEqual([{ title: 'edited' }])
  })

  test('is marked missing in the night after its deletion if it was open', async () => {
    const service = fakeService()
    service.incidents = [3, 4, 5].map((index) => incident(index, { num: `${index}`, progress: 'Triggered' }))
    await night(service, 200)
    service.incidents.splice(0, 1)
    expect((await night(service, 201)).vanished).toBe(1)
    expect(await stored(3)).toMatchObject({ has_vanished: true })
    expect(await stored(4)).toMatchObject({ has_vanished: false })
  })

  test('is requested by id only if it is no longer in the list of open incidents', async () => {
    const service = fakeService()
    service.incidents = Array.from({ length: 150 }, (_, index) =>
      incident(index, { num: `${index}`, progress: 'Triggered', start_time: epoch + (index % 75) * 2 * DAY }),
    )
    await night(service, 290)
    for (const index of [3, 40])
      Object.assign(service.incidents[index]!, { progress: 'Closed', updated_at: epoch + 290 * DAY + 60 })
    service.calls.length = 0
    expect((await night(service, 291)).status).toBe('ok')
    const asked = service.calls.flatMap(({ input }) => (input.incident_ids as string[] | undefined) ?? [])
    const closed = [3, 40].map((index) => service.incidents[index]!.incident_id)
    expect(asked.length).toBeLessThan(30)
    for (const id of closed) expect(asked).toContain(id)
    expect(await rows(`select num from incidents where progress = 'Closed' order by num`)).toEqual([
      { num: '3' },
      { num: '40' },
    ])

    // If the search for open records fails in a month, their ids are requested.
    service.before = (name, input) => (input.progress ? refused(name, 'InternalError') : undefined)
    service.calls.length = 0
    await night(service, 292)
    const all = service.calls.flatMap(({ input }) => (input.incident_ids as string[] | undefined) ?? [])
    expect(new Set(all).size).toBeGreaterThan(100)
  })
})
