import { beforeAll, describe, expect, test } from 'vitest'
import { DAY, type Json, NOW, open, type Talk } from '../../support/sandbox.ts'
import { dataOf, expectFailure } from './expectations.ts'

let service: Talk
let world: Json
beforeAll(async () => {
  service = await open({ incidents: 8_000 })
  world = await service.control('world')
})
const data = async (path: string, body: unknown, key?: string) => dataOf(await service.post(path, body, key))

describe('POST /incident/list', () => {
  const window = { start_time: NOW - 31 * DAY, end_time: NOW }

  test('selects the channels of the caller with is_my_team and is_my_channel', async () => {
    const caller = (await service.control('state')).callers[0].member_id
    const { items: teams } = await data('/team/infos', { team_ids: world.teams })
    const mine = teams.filter((one: Json) => one.person_ids.includes(caller)).map((one: Json) => one.team_id)
    expect(mine.length).toBe(2)
    const channels = (await service.control('state')).channels as Json[]
    for (const [field, owns] of [
      ['is_my_team', (one: Json) => mine.includes(one.team_id)],
      ['is_my_channel', (one: Json) => one.creator_id === caller],
    ] as const) {
      const ids = channels.filter(owns).map((one) => one.channel_id)
      const { items } = await data('/incident/list', { ...window, [field]: true, limit: 100 })
      expect(items.length).toBeGreaterThan(0)
      expect(items.every((one: Json) => ids.includes(one.channel_id))).toBe(true)
      expect(
        (await data('/incident/list', { ...window, [field]: true }, service.key('incident view (on-call)')))
          .total,
      ).toBe(0)
    }
  })

  test('finds one incident if the query is an incident id or a num', async () => {
    const [row] = (await data('/incident/list', { ...window, limit: 1 })).items
    for (const query of [row.incident_id, row.incident_id.toUpperCase(), row.num, row.num.toLowerCase()]) {
      const { items } = await data('/incident/list', { ...window, query })
      expect(items.map((one: Json) => one.incident_id)).toEqual([row.incident_id])
    }
    expect((await data('/incident/list', { ...window, query: 'f'.repeat(24) })).items).toEqual([])
  })

  test('ignores filters that are false or empty', async () => {
    const all = await data('/incident/list', window)
    const loose = {
      channel_ids: [],
      nums: [],
      incident_ids: [],
      progress: '',
      query: ' ',
      is_rare: false,
      is_snoozed: false,
    }
    expect(await data('/incident/list', { ...window, ...loose })).toEqual(all)
  })
})

describe('POST /incident/comment', () => {
  test('writes nothing if one of the incidents is unknown', async () => {
    const before = await service.control('audit')
    const incident_ids = [world.incidents[0], '0'.repeat(24)]
    expectFailure(
      await service.post('/incident/comment', { incident_ids, comment: 'x' }),
      400,
      'ResourceNotFound',
    )
    expect(await service.control('audit')).toEqual(before)
  })
})

describe('the channel endpoint of the sandbox', () => {
  test('stores every field of a created channel', async () => {
    const settings = {
      team_id: world.teams[1],
      managing_team_ids: [world.teams[2]],
      channel_name: 'Röhre \u{1F4A5} "quoted"',
      description: 'd',
      group: { method: 'i', time_window: 5, window_type: 'sliding', cases: [{ a: 2n ** 60n }] },
      flapping: { is_disabled: false, max_changes: 3, in_mins: 60, mute_mins: 120 },
      auto_resolve_timeout: 60,
      auto_resolve_mode: 'update',
      is_private: true,
      disable_outlier_detection: true,
      disable_auto_close: true,
      is_external_report_enabled: true,
    }
    const created = await data('/channel/create', {
      ...settings,
      integration_ids: [1],
      escalate_rule: { name: 'x' },
    })
    expect(Object.keys(created).sort()).toEqual(['channel_id', 'channel_name'])
    expect(created.channel_name).toBe(settings.channel_name)
    const channel = await data('/channel/info', { channel_id: created.channel_id })
    expect(channel).toMatchObject({ ...settings, status: 'enabled', channel_id: created.channel_id })
  })

  test('gives two created channels different ids', async () => {
    const body = { team_id: world.teams[0], channel_name: 'Twin' }
    const ids = [
      (await data('/channel/create', body)).channel_id,
      (await data('/channel/create', body)).channel_id,
    ]
    expect(new Set(ids).size).toBe(2)
  })

  test('changes only the fields in an update that are not null', async () => {
    const channel_id = world.channels[2]
    const before = await data('/channel/info', { channel_id })
    await data('/channel/update', {
      channel_id,
      description: 'new',
      channel_name: null,
      team_id: null,
      is_private: null,
    })
    const after = await data('/channel/info', { channel_id })
    expect(after).toEqual({ ...before, description: 'new', updated_at: NOW })
  })

  test('returns external_report_token only if an update enables external reports', async () => {
    const channel_id = world.channels[3]
    const token = async (more: Record<string, unknown>) =>
      (await data('/channel/update', { channel_id, ...more })).external_report_token
    expect(await token({ is_external_report_enabled: true })).toMatch(/^.{16,}$/)
    expect(await token({ is_external_report_enabled: false })).toBe('')
    expect(await token({ description: 'x' })).toBe('')
  })
})

test('POST /schedule/infos omits unknown schedule ids', async () => {
  const { items } = await data('/schedule/infos', {
    schedule_ids: [7, world.schedules[1], 8, world.schedules[1]],
  })
  expect(items.map((one: Json) => one.schedule_id)).toEqual([world.schedules[1]])
})

describe('POST /calendar/create', () => {
  test('uses Asia/Shanghai as the default zone and allows five calendars', async () => {
    const fresh = await open()
    const create = (body: Record<string, unknown>) =>
      fresh.post('/calendar/create', { cal_name: 'Team days', ...body })
    const first = dataOf(await create({ workdays: [1, 2, 3], extra_cal_ids: [world.calendars[0]] }))
    expect(first).toEqual({ cal_id: expect.stringMatching(/^cal\.[\w-]{22}$/), cal_name: 'Team days' })
    const second = dataOf(await create({ timezone: '' }))
    const third = dataOf(await create({ timezone: 'Europe/Berlin', team_id: world.teams[0] }))
    const calendars = (await fresh.control('state')).calendars as Json[]
    const zones = [first, second, third].map(
      ({ cal_id }) => calendars.find((one) => one.cal_id === cal_id)?.timezone,
    )
    expect(zones).toEqual(['Asia/Shanghai', 'Asia/Shanghai', 'Europe/Berlin'])
    expectFailure(await create({ extra_cal_ids: ['cal.none'] }), 400, 'ResourceNotFound')
    dataOf(await create({}))
    dataOf(await create({}))
    expectFailure(await create({}), 400, 'InvalidParameter')
  })
})

describe('POST /monit/rule/update/fields', () => {
  const path = '/monit/rule/update/fields'

  test('returns a name and a message for each rule', async () => {
    const answer = await data(path, { ids: world.rules.slice(0, 3), fields: ['enabled'], enabled: true })
    expect(answer.length).toBe(3)
    for (const one of answer) expect(one).toEqual({ name: expect.stringMatching(/./), message: '' })
  })

  test('requires a value for every field listed in `fields`', async () => {
    const ids = world.rules.slice(0, 1)
    expectFailure(await service.post(path, { ids, fields: ['enabled'] }), 400, 'InvalidParameter', 'enabled')
    expectFailure(await service.post(path, { ids, fields: ['id'], id: 9 }), 400, 'InvalidParameter', 'fields')
    const zone = { ids, fields: ['timezone'], timezone: 'Nowhere' }
    expectFailure(await service.post(path, zone), 400, 'InvalidParameter', 'timezone')
  })
})

describe('POST /monit/rule/status', () => {
  test('returns one row for each top folder if folder_id is 0', async () => {
    const rows = await data('/monit/rule/status', { folder_id: 0 })
    const [first] = rows
    const children = await data('/monit/rule/status', { folder_id: first.folder_id })
    const [own] = children.filter((one: Json) => one.folder_id === first.folder_id)
    // One rule is in the top folder itself.
    expect(own).toMatchObject({ folder_name: first.folder_name, rule_total: 1 })
  })

  test('returns rows of subfolders that add up to the count of the requested folder', async () => {
    const rows = await data('/monit/rule/status', {})
    expect(rows).toEqual(await data('/monit/rule/status', { folder_id: 0 }))
    for (const { folder_id, ...whole } of rows) {
      const parts = await data('/monit/rule/status', { folder_id })
      for (const field of ['rule_total', 'triggered_rule_count']) {
        const sum = parts.reduce((total: number, one: Json) => total + (one[field] ?? 0), 0)
        expect([folder_id, field, sum]).toEqual([folder_id, field, whole[field] ?? 0])
      }
    }
  })

  test('omits triggered_rule_count for a folder with more than 5,000 rules', async () => {
    const rows = await data('/monit/rule/status', { folder_id: 0 })
    const large = rows.filter((one: Json) => one.rule_total > 5_000)
    expect(large.length).toBe(1)
    // 0 would mean that no rule is triggered.
    expect(large[0]).not.toHaveProperty('triggered_rule_count')
  })
})

describe('POST /role/permission/list', () => {
  test('returns only the permissions of the roles in role_ids unless with_all is set', async () => {
    const views = (await data('/role/permission/list', { role_ids: [8] })).items
    expect(views.map((one: Json) => one.permission_name)).toEqual([
      'incident view',
      'channel view',
      'schedule view',
    ])
    expect(views.every((one: Json) => one.is_granted && one.permission_type === 'read')).toBe(true)
    const all = (await data('/role/permission/list', { role_ids: [8], with_all: true })).items
    expect(all.length).toBe(10)
    expect(all.filter((one: Json) => one.is_granted)).toEqual(views)
    expect((await data('/role/permission/list', { role_ids: [2] })).items.length).toBe(10)
  })
})

describe('POST /member/list', () => {
  test('filters members by role_id or by a query for name or email', async () => {
    const { items } = await data('/member/list', { role_id: 8 })
    expect(items.length).toBeGreaterThan(0)
    expect(items.every((one: Json) => one.account_role_ids.includes(8))).toBe(true)
    const [somebody] = items
    for (const query of [somebody.member_name.toUpperCase(), somebody.email]) {
      const found = (await data('/member/list', { query })).items
      expect(found.map((one: Json) => one.member_id)).toContain(somebody.member_id)
      expect(found.length).toBeLessThan(5)
    }
  })
})

test('POST /team/infos omits unknown team ids', async () => {
  const { items } = await data('/team/infos', { team_ids: [7, world.teams[0]] })
  expect(items.map((one: Json) => one.team_id)).toEqual([world.teams[0]])
})

test('GET /incident/post-mortem/info returns the status drafting or published', async () => {
  const seen = new Set<string>()
  for (const post_mortem_id of world.post_mortems) {
    const { meta } = dataOf(await service.get('/incident/post-mortem/info', { post_mortem_id }))
    seen.add(meta.status)
  }
  expect([...seen].sort()).toEqual(['drafting', 'published'])
})
