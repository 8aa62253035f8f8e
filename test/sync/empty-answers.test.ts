import { expect, test } from 'vitest'
import { nightsOf } from '../attacks/night.ts'
import { DAY, epoch, fakeService, incident } from '../support/service.ts'

const { sync } = nightsOf()
const EMPTY = { items: [], total: 0, has_next_page: false }

test('a sync that gets a wrong total marks no record missing, because empty responses may be wrong too', async () => {
  const service = fakeService()
  const [early, late] = [
    incident(1_000, { start_time: epoch + 5 * DAY }),
    incident(2_000, { start_time: epoch + 60 * DAY }),
  ]
  service.incidents = [early, late]
  expect(await sync(service, 0)).toMatchObject({ status: 'ok' })
  let number = 0
  service.before = (name, { incident_ids, start_time, end_time }) => {
    if (name !== 'incident/list') return undefined
    const isIn = ({ start_time: at }: Record<string, unknown>) =>
      Number(at) >= Number(start_time) && Number(at) < Number(end_time)
    // The early incident is never returned, even when requested by id.
    if (incident_ids !== undefined || isIn(early)) return EMPTY
    return number > 0 && isIn(late) ? { items: [late], total: number, has_next_page: false } : undefined
  }
  number = 5
  expect(await sync(service, 1, { full: true })).toMatchObject({
    status: 'partial',
    vanished: 0,
  })
  // With correct totals, an empty response proves that the incident is missing.
  number = 0
  expect(await sync(service, 2, { full: true })).toMatchObject({
    status: 'ok',
    vanished: 1,
  })
  service.before = () => undefined
  expect(await sync(service, 3)).toMatchObject({ status: 'ok' })
})

test('a sync that gets the cached empty response to another request marks no record missing', async () => {
  const service = fakeService()
  const known = [5, 20, 40, 60].map((day) => incident(day, { start_time: epoch + day * DAY }))
  service.incidents = known
  expect(await sync(service, 0)).toMatchObject({ status: 'ok' })
  const { client } = service
  let asked = 0
  let cached: Awaited<ReturnType<typeof client.read>> | undefined
  const read: typeof client.read = async (name, input, options) => {
    const reply = await client.read(name, input, options)
    if (name !== 'incident/list') return reply
    cached ??= { ...reply, data: EMPTY }
    return (asked++ % 2 === 0 ? cached : reply) as typeof reply
  }
  const behind = { ...service, client: { ...client, read } }
  const told = await sync(behind, 1, { full: true })
  expect(told).toMatchObject({ status: 'partial', vanished: 0 })
  expect(told.failures.map(({ message }) => message).join()).toMatch(
    /windows are unverified.*A cache or proxy probably repeats one answer for several requests\./,
  )
  expect(await sync(service, 2)).toMatchObject({ status: 'ok', vanished: 0 })
})
