import { expect, test } from 'vitest'
import type { SyncScope } from '../../src/sync/slice.ts'
import { DAY, type FakeService, fakeService, incident, refused } from '../support/service.ts'
import { emptyWarehouse, rowsOf } from '../support/warehouse.ts'
import { NIGHT, syncNight } from './night.ts'

const warehouse = emptyWarehouse()
/** The response of a service that lost its index, or that gets a key without permissions. */
const EMPTY = { items: [], total: 0, has_next_page: false }

const sync = (service: FakeService, nights = 0, scope: Partial<SyncScope> = {}) =>
  syncNight(warehouse(), service, nights, scope)

/** 300 incidents over 100 days, of which 93 are in the last 31 days. */
function company(): FakeService {
  const service = fakeService()
  service.incidents = Array.from({ length: 300 }, (_, index) =>
    incident(index * 8, { channel_id: 1 + (index % 40) }),
  )
  for (let id = 1; id <= 40; id++) {
    const channel = { channel_id: id, channel_name: `c${id}`, status: 'enabled', team_id: 1 + (id % 20) }
    service.channels.set(String(id), channel)
  }
  service.teams = Array.from({ length: 20 }, (_, id) => ({
    team_id: id + 1,
    team_name: 't',
    person_ids: [1],
  }))
  service.members = Array.from({ length: 150 }, (_, member_id) => ({
    account_id: 1,
    status: 'enabled',
    created_at: 1,
    updated_at: 2,
    member_id,
    member_name: `m${member_id}`,
    account_role_ids: [2],
  }))
  return service
}

async function vanished(): Promise<number> {
  const [row] = await rowsOf(
    warehouse(),
    'select count(*)::int as n from incidents where vanished_at is not null',
  )
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

test('a sync marks records as missing after a person accepts the loss with `--accept-vanished`', async () => {
  const service = company()
  await sync(service)
  service.incidents = service.incidents.slice(0, 200)
  expect(await sync(service, 1)).toMatchObject({ status: 'partial', vanished: 0 })
  const accepted = await sync(service, 1, { acceptVanished: true })
  expect(accepted).toMatchObject({ status: 'ok', failures: [] })
  expect(await vanished()).toBe(accepted.vanished)
  expect(accepted.vanished).toBeGreaterThan(80)
})

test('the next sync restores records that were wrongly marked as missing', async () => {
  const service = company()
  await sync(service)
  service.before = (name) => (name === 'incident/list' ? EMPTY : undefined)
  await sync(service, 1, { full: true, acceptVanished: true })
  expect(await vanished()).toBeGreaterThan(290)
  service.before = () => undefined
  expect(await sync(service, 2)).toMatchObject({ status: 'ok' })
  expect(await vanished()).toBe(0)
})

test('the next sync reads all records that a first sync missed during an outage', async () => {
  const service = company()
  service.before = (name) => (name === 'incident/list' ? EMPTY : undefined)
  await sync(service)
  service.before = () => undefined
  await sync(service, 1)
  const [row] = await rowsOf(warehouse(), 'select count(*)::int as n from incidents')
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

test.each([
  ['members', 'member/list', () => ({ p: 1, limit: 100, total: 0, items: [] })],
  ['teams', 'team/infos', () => ({ items: [] })],
  ['channels', 'channel/info', (name: string) => refused(name, 'ResourceNotFound')],
])(
  '%s that are no longer listed stay stored, and the next sync requests them again',
  async (table, operation, answer) => {
    const service = company()
    await sync(service)
    const before = await rowsOf(warehouse(), `select * from ${table} order by all`)
    service.before = (name) => (name === operation ? answer(name) : undefined)
    const night = await sync(service, 8)
    expect(night.status).toBe('partial')
    expect(night.failures.map(({ resource }) => resource)).toEqual([table])
    expect(await rowsOf(warehouse(), `select * from ${table} order by all`)).toEqual(before)
    service.before = () => undefined
    service.calls.length = 0
    expect(await sync(service, 9)).toMatchObject({ status: 'ok' })
    expect(service.calls.some(({ name }) => name === operation)).toBe(true)
  },
)
