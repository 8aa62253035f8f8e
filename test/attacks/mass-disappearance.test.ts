import { expect, test } from 'vitest'
import { DAY, type FakeService, fakeService, incident, member } from '../support/service.ts'
import { NIGHT, nightsOf } from './night.ts'

const { rows, sync } = nightsOf()
/** The response of a service that lost its index, or that gets a key without permissions. */
const EMPTY = { items: [], total: 0, has_next_page: false }

/** 300 incidents over 100 days, of which 93 are in the last 31 days. */
function company(): FakeService {
  const service = fakeService()
  service.incidents = Array.from({ length: 300 }, (_, index) =>
    incident(index * 8, { channel_id: 1 + (index % 40) }),
  )
  service.addChannels(
    Array.from({ length: 40 }, (_, index) => index + 1),
    (id) => 1 + (Number(id) % 20),
  )
  service.teams = Array.from({ length: 20 }, (_, id) => ({
    team_id: id + 1,
    team_name: 't',
    person_ids: [1],
  }))
  service.members = Array.from({ length: 150 }, (_, id) => member(id))
  return service
}

async function vanished(): Promise<number> {
  const [row] = await rows('select count(*)::int as n from incidents where vanished_at is not null')
  return row!.n as number
}

test.each([{ full: false }, { full: true }])(
  'a sync that receives only empty lists marks no stored record as missing (full: $full)',
  async ({ full }) => {
    const service = company()
    await sync(service)
    service.before = (name) => (name === 'incident/list' ? EMPTY : undefined)
    const night = await sync(service, 1, { full })
    expect(await vanished()).toBe(0)
    expect(night).toMatchObject({ status: 'partial', vanished: 0 })
    expect(night.failures).toHaveLength(1)
    expect(night.failures[0]!.message).toMatch(/stored records are missing/)
    expect(night.failures[0]!.next).toContain(
      full ? 'faultline sync --full --accept-vanished' : 'faultline sync --accept-vanished',
    )
    service.before = () => undefined
    expect(await sync(service, 2)).toMatchObject({ status: 'ok', replaced: 0, failures: [] })
  },
)

test('a sync marks no records as missing if small losses in many windows add up', async () => {
  const service = company()
  const weekly = { windowSeconds: 7 * DAY }
  await sync(service, 0, weekly)
  // Each week of the lookback loses three incidents, which would be acceptable for a single window.
  const since = NIGHT - 30 * DAY
  service.incidents = service.incidents.filter(
    (one, index) => Number(one.start_time) <= since || index % 7 !== 0,
  )
  expect(await sync(service, 1, weekly)).toMatchObject({ status: 'partial', vanished: 0 })
  expect(await vanished()).toBe(0)
})

test('open incidents are not marked as missing if every request by id returns nothing', async () => {
  const service = company()
  for (const one of service.incidents.slice(110, 170))
    Object.assign(one, { progress: 'Triggered', close_time: 0 })
  await sync(service)
  // Open incidents that no list returned are requested by id.
  service.before = (name, input) =>
    name === 'incident/list' && (input.incident_ids || input.progress) ? EMPTY : undefined
  expect(await sync(service, 1)).toMatchObject({ status: 'partial', vanished: 0 })
  expect(await vanished()).toBe(0)
})

test('the next sync reads all records that a first sync missed during an outage', async () => {
  const service = company()
  service.before = (name) => (name === 'incident/list' ? EMPTY : undefined)
  await sync(service)
  service.before = () => undefined
  await sync(service, 1)
  const [row] = await rows('select count(*)::int as n from incidents')
  expect(row!.n).toBe(300)
})

test('the next sync marks missing records if a run was killed before it marked them', async () => {
  const service = company()
  await sync(service)
  service.incidents.splice(290, 4)
  const stop = new Error('killed')
  service.before = (name) => {
    if (name === 'channel/info' || name === 'member/list') throw stop
  }
  await expect(sync(service, 1)).rejects.toThrow('killed')
  service.before = () => undefined
  await sync(service, 1)
  expect(await vanished()).toBe(4)
})
