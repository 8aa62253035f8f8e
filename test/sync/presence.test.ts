import { describe, expect, inject, test } from 'vitest'
import { NIGHT, nightsOf } from '../attacks/night.ts'
import { DAY, epoch, type FakeService, fakeService, incident, member, refused } from '../support/service.ts'

const { rows, sync } = nightsOf()
const PEOPLE = 200
const TEAMS = 60

/** A company with 200 people, and 60 channels with a team and a post-mortem each. */
function company(): FakeService {
  const service = fakeService()
  const ids = Array.from({ length: TEAMS }, (_, index) => index + 1)
  service.incidents = ids.map((id) => incident(2_000 + id, { channel_id: id, post_mortem_id: `p${id}` }))
  service.addChannels(ids)
  service.teams = ids.map((id) => ({ team_id: id, team_name: `t${id}`, person_ids: [1] }))
  service.members = Array.from({ length: PEOPLE }, (_, index) => member(index + 1))
  const postMortems = new Set(ids.map((id) => `p${id}`))
  service.before = (name, input) => {
    if (name !== 'incident/post-mortem/info') return undefined
    const id = input.post_mortem_id as string
    if (!postMortems.has(id)) return refused(name, 'ResourceNotFound', `r-${service.calls.length}`)
    return {
      meta: { account_id: 1, post_mortem_id: id, title: id, status: 'published', updated_at_seconds: 5 },
      basics: {},
      content: { content: '' },
    }
  }
  return Object.assign(service, { postMortems })
}

const vanishedOf = async (table: string) => {
  const key = {
    members: 'member_id',
    teams: 'team_id',
    channels: 'channel_id',
    post_mortems: 'post_mortem_id',
  }[table]
  const found = await rows(`select ${key} as id from ${table} where vanished_at is not null order by ${key}`)
  return found.map(({ id }) => id)
}

describe('members, teams and channels that the service no longer returns', () => {
  test('are marked missing without an error if three members leave every night for five nights', async () => {
    const service = company()
    await sync(service)
    for (let night = 1; night <= 5; night++) {
      service.members.splice(0, 3)
      expect(await sync(service, night), `night ${night}`).toMatchObject({ status: 'ok', vanished: 3 })
    }
    expect(await vanishedOf('members')).toEqual(Array.from({ length: 15 }, (_, index) => index + 1))
  })

  test('include a deleted team without channels, even after its name was updated', async () => {
    const service = company()
    await sync(service)
    service.channels.set('1', { ...service.channels.get('1'), team_id: 2 })
    await sync(service, 8)
    service.teams[0] = { ...service.teams[0], team_name: 'without a channel' }
    await sync(service, 10)
    expect(await rows('select team_name from teams where team_id = 1')).toEqual([
      { team_name: 'without a channel' },
    ])
    service.teams.shift()
    await sync(service, 12)
    expect(await vanishedOf('teams')).toEqual([1])
  })

  test('are treated as an outage if 25% are missing at once, until a person accepts the loss', async () => {
    const service = company()
    await sync(service)
    const away = service.members.splice(0, 50)
    expect(await sync(service, 1)).toMatchObject({ status: 'partial', vanished: 0 })
    expect(await vanishedOf('members')).toEqual([])
    expect(await sync(service, 1, { acceptVanished: true })).toMatchObject({ status: 'ok', vanished: 50 })
    expect(await sync(service, 2)).toMatchObject({ status: 'ok', vanished: 0 })
    expect(await vanishedOf('members')).toHaveLength(50)
    service.members.unshift(...away.slice(0, 20))
    expect(await sync(service, 3)).toMatchObject({ status: 'ok' })
    expect(await vanishedOf('members')).toEqual(away.slice(20).map(({ member_id }) => member_id))
  })

  test.each([
    [
      'teams',
      'team/infos',
      (service: FakeService, ids: Set<unknown>) => {
        service.teams = service.teams.filter(({ team_id }) => !ids.has(team_id))
      },
    ],
    [
      'channels',
      'channel/info',
      (service: FakeService, ids: Set<unknown>) => {
        for (const id of ids) service.channels.delete(String(id))
      },
    ],
    [
      'post_mortems',
      'incident/post-mortem/info',
      (service: FakeService, ids: Set<unknown>) => {
        for (const id of ids)
          (service as unknown as { postMortems: Set<string> }).postMortems.delete(`p${id}`)
      },
    ],
  ] as const)(
    'include %s, which are restored when the service returns them again',
    async (table, _, remove) => {
      const service = company()
      await sync(service)
      const few = new Set([1, 2, 3])
      remove(service, few)
      const later = table === 'teams' ? 2 : 8
      expect(await sync(service, later)).toMatchObject({ status: 'ok', vanished: 3 })
      expect(await vanishedOf(table)).toHaveLength(3)
      remove(service, new Set(Array.from({ length: 20 }, (_, index) => index + 1)))
      expect(await sync(service, 2 * later)).toMatchObject({ status: 'partial', vanished: 0 })
      expect(await sync(service, 2 * later, { acceptVanished: true })).toMatchObject({
        status: 'ok',
        vanished: 17,
      })
      expect(await sync(service, 2 * later + 1)).toMatchObject({ status: 'ok' })
      const whole = company()
      expect(await sync(whole, 3 * later + 1)).toMatchObject({ status: 'ok' })
      expect(await vanishedOf(table)).toEqual([])
    },
  )
})

test('a missing post-mortem that was a draft is not requested every night', async () => {
  const service = company()
  const asked = () => service.calls.filter(({ input }) => input.post_mortem_id === 'p1').length
  const own = service.before
  let isGone = false
  service.before = (name, input, signal) => {
    if (name !== 'incident/post-mortem/info' || input.post_mortem_id !== 'p1') return own(name, input, signal)
    const meta = {
      account_id: 1,
      post_mortem_id: 'p1',
      title: 'draft',
      status: 'drafting',
      updated_at_seconds: NIGHT - DAY,
    }
    return isGone
      ? refused(name, 'ResourceNotFound', `r-${service.calls.length}`)
      : { meta, basics: {}, content: { content: '' } }
  }
  await sync(service)
  isGone = true
  const nights = []
  for (let night = 1; night <= 5; night++) {
    const before = asked()
    await sync(service, night)
    nights.push(asked() - before)
  }
  expect(nights).toEqual([1, 0, 1, 0, 0])
  expect(await vanishedOf('post_mortems')).toEqual(['p1'])
})

describe('an incident that its window no longer returns', () => {
  test('is looked up by id in all windows, and is kept if a correction moved its start', async () => {
    const service = company()
    service.incidents.push(
      ...Array.from({ length: 250 }, (_, index) =>
        incident(10_000 + index, { start_time: epoch + index * 9 * 3_600 }),
      ),
    )
    await sync(service)
    const moved = service.incidents.filter((one) => Number(one.start_time) > NIGHT - 10 * DAY).slice(0, 4)
    const [gone, ...others] = moved
    service.incidents.splice(service.incidents.indexOf(gone!), 1)
    for (const one of others)
      Object.assign(one, { start_time: Number(one.start_time) - 60 * DAY, updated_at: NIGHT })
    service.calls.length = 0
    expect(await sync(service, 1)).toMatchObject({ status: 'ok', vanished: 1 })
    const found = await rows(
      `select incident_id as id, start_time as start, vanished_at is not null as is_gone from incidents
       where incident_id in (${moved.map((one) => `'${one.incident_id}'`)}) order by all`,
    )
    const wanted = moved.map((one) => ({ id: one.incident_id, start: one.start_time, is_gone: one === gone }))
    expect(found).toEqual(wanted.sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1)))
    const asked = service.calls.filter(({ input }) =>
      (input.incident_ids as string[])?.includes(gone!.incident_id as string),
    )
    // 100 days take four windows, and the service rejects a window of 31 days or more.
    expect(asked.length).toBeLessThan(7)
    for (const { input } of asked)
      expect(Number(input.end_time) - Number(input.start_time)).toBeLessThan(31 * DAY)
  })

  test.runIf(inject('isLarge'))('is looked up the next night if the request budget was used up', async () => {
    const service = company()
    const recent = Array.from({ length: 5_200 }, (_, index) =>
      incident(10_000 + index, { start_time: NIGHT - 5 * DAY + index }),
    )
    service.incidents.push(incident(1, { start_time: 10 * DAY }), ...recent)
    await sync(service, 0, { since: 0 })
    service.incidents = service.incidents.filter((one) => !recent.slice(0, 103).includes(one))
    const vanished = []
    for (let night = 1; night <= 2; night++) vanished.push((await sync(service, night)).vanished)
    expect(vanished).toEqual([100, 3])
  })

  test('is kept if the incident is found by id', async () => {
    const service = company()
    await sync(service)
    const all = service.incidents
    const [left, gone] = all
    const answer = service.before
    service.before = (name, input, signal) => {
      if (name !== 'incident/list') return answer(name, input, signal)
      const isSearch = input.incident_ids !== undefined
      service.incidents = all.filter((one) => one !== gone && (isSearch || one !== left))
      return undefined
    }
    expect(await sync(service, 1)).toMatchObject({ status: 'ok', vanished: 1 })
    expect(await rows('select incident_id as id from incidents where vanished_at is not null')).toEqual([
      { id: gone!.incident_id },
    ])
  })

  test('is not marked missing while requests by id fail', async () => {
    const service = company()
    const { before } = service
    await sync(service)
    service.incidents.splice(0, 2)
    service.before = (name, input) =>
      name === 'incident/list' && input.incident_ids
        ? refused(name, 'InternalError')
        : before(name, input, undefined)
    expect(await sync(service, 1)).toMatchObject({ status: 'failed', vanished: 0 })
    service.before = before
    expect((await sync(service, 2)).vanished).toBe(2)
  })
})

test('a sync that gets records from outside the requested window marks no record missing', async () => {
  const service = company()
  await sync(service)
  const { before } = service
  let strays = 0
  service.before = (name, input, signal) => {
    if (name !== 'incident/list') return before(name, input, signal)
    const ids = input.incident_ids as string[] | undefined
    // The service ignores the window in one search, and returns nothing for requests by id.
    if (ids !== undefined) return { items: [], total: 0, has_next_page: false }
    if (input.progress === undefined && strays++ === 0)
      return { items: [incident(9_000, { start_time: 1 })], total: 1, has_next_page: false }
    return undefined
  }
  service.incidents = service.incidents.slice(1)
  expect(await sync(service, 1)).toMatchObject({ status: 'partial', vanished: 0 })
  strays = 0
  expect(await sync(service, 1, { acceptVanished: true })).toMatchObject({ vanished: 1 })
  service.before = before
  expect(await sync(service, 3)).toMatchObject({ status: 'ok', vanished: 0 })
})

test('records from outside the requested window do not affect later syncs once a person accepted them', async () => {
  const service = company()
  const { before } = service
  service.before = (name, input, signal) => {
    const isOld = name === 'incident/list' && Number(input.end_time) < epoch + 40 * DAY
    if (!isOld) return before(name, input, signal)
    return { items: [incident(9_000, { start_time: epoch + 50 * DAY })], total: 1, has_next_page: false }
  }
  expect(await sync(service, 0, { acceptUnproven: true })).toMatchObject({ status: 'ok' })
  service.incidents.shift()
  expect(await sync(service, 1)).toMatchObject({ status: 'ok', vanished: 1 })
})
