import { beforeAll, describe, expect, test } from 'vitest'
import { DAY, type Json, NOW, open, type Talk } from '../../support/sandbox.ts'
import { dataOf, expectFailure } from './expectations.ts'

let service: Talk
let world: Json
beforeAll(async () => {
  service = await open()
  world = await service.control('world')
})

const accepted = async (path: string, body: Record<string, unknown>) => dataOf(await service.post(path, body))
const refused = async (path: string, body: Record<string, unknown>, field: string) =>
  expectFailure(await service.post(path, body), 400, 'InvalidParameter', field)

describe('the sandbox', () => {
  const list = { start_time: NOW - 31 * DAY, end_time: NOW }
  test('limits the window of /incident/list to 31 days', async () => {
    await accepted('/incident/list', list)
    await refused('/incident/list', { ...list, start_time: list.start_time - 1 }, 'end_time')
    await refused('/incident/list', { start_time: NOW, end_time: NOW }, 'end_time')
    await refused('/incident/list', { start_time: NOW, end_time: NOW - 1 }, 'end_time')
    await refused('/incident/list', { end_time: NOW }, 'start_time')
    await refused('/incident/list', { start_time: NOW }, 'end_time')
  })

  test('limits a page of /incident/list to 100 incidents, with a default of 20', async () => {
    expect((await accepted('/incident/list', list)).items.length).toBe(20)
    expect((await accepted('/incident/list', { ...list, limit: 0 })).items.length).toBe(20)
    expect((await accepted('/incident/list', { ...list, limit: 100 })).items.length).toBe(100)
    for (const limit of [-1, 101, 1.5, '20']) await refused('/incident/list', { ...list, limit }, 'limit')
    await refused('/incident/list', { ...list, p: -1 }, 'p')
  })

  test('accepts lists of severities and states as filters of /incident/list', async () => {
    await accepted('/incident/list', {
      ...list,
      incident_severity: 'Critical, Info',
      progress: 'Closed,Triggered',
    })
    await refused('/incident/list', { ...list, incident_severity: 'critical' }, 'incident_severity')
    await refused('/incident/list', { ...list, progress: 'Open' }, 'progress')
  })

  test.each(['/channel/create', '/channel/update'])(
    'limits the length and range of each field of %s',
    async (path) => {
      const base =
        path === '/channel/create'
          ? { team_id: world.teams[0], channel_name: 'ok' }
          : { channel_id: world.channels[0] }
      const good = (more: Record<string, unknown>) => accepted(path, { ...base, ...more })
      const bad = (field: string, values: unknown[]) =>
        values.reduce<Promise<void>>(
          async (before, value) => before.then(() => refused(path, { ...base, [field]: value }, field)),
          Promise.resolve(),
        )
      for (const channel_name of ['x', 'x'.repeat(59), '\u{1F4A5}'.repeat(59)]) await good({ channel_name })
      await bad('channel_name', ['', 'x'.repeat(60), 7])
      await good({ description: 'x'.repeat(500) })
      await bad('description', ['x'.repeat(501), 7])
      await good({ managing_team_ids: world.teams.slice(0, 3) })
      await bad('managing_team_ids', [world.teams.slice(0, 4), 'x', [1.5]])
      for (const auto_resolve_timeout of [0, 2_592_000]) await good({ auto_resolve_timeout })
      await bad('auto_resolve_timeout', [-1, 2_592_001, '60'])
      for (const auto_resolve_mode of ['trigger', 'update']) await good({ auto_resolve_mode })
      await bad('auto_resolve_mode', ['never', ''])
      await bad('is_private', ['yes', 1])
      await good({ group: { method: 'i', time_window: 5, window_type: 'sliding' } })
      await bad('group', ['i', 1])
    },
  )

  test('limits the name, description and workdays of /calendar/create', async () => {
    const path = '/calendar/create'
    await accepted(path, { cal_name: 'x'.repeat(39), description: 'x'.repeat(499), workdays: [0, 6] })
    await refused(path, { cal_name: '' }, 'cal_name')
    await refused(path, { cal_name: 'x'.repeat(40) }, 'cal_name')
    await refused(path, {}, 'cal_name')
    await refused(path, { cal_name: 'x', description: 'x'.repeat(500) }, 'description')
    for (const day of [-1, 7, 1.5]) await refused(path, { cal_name: 'x', workdays: [day] }, 'workdays')
    for (const timezone of ['Mars/Base', '+08:00', 7])
      await refused(path, { cal_name: 'x', timezone }, 'timezone')
  })

  test('limits a page of /member/list to 100 members', async () => {
    await accepted('/member/list', { p: 1, limit: 100 })
    await refused('/member/list', { p: 0 }, 'p')
    for (const limit of [0, 101]) await refused('/member/list', { limit }, 'limit')
    await refused('/member/list', { orderby: 'name' }, 'orderby')
    await refused('/member/list', { role_id: -1 }, 'role_id')
  })

  test('accepts at most 100 team ids in /team/infos', async () => {
    const ids = Array.from({ length: 101 }, (_, k) => k)
    expect((await accepted('/team/infos', { team_ids: ids.slice(1) })).items).toEqual([])
    await refused('/team/infos', { team_ids: ids }, 'team_ids')
    await refused('/team/infos', {}, 'team_ids')
  })

  test('accepts 1 to 100 incidents and 1,024 characters in /incident/comment', async () => {
    const path = '/incident/comment'
    const incident_ids = world.incidents
    await accepted(path, { incident_ids, comment: `  ${'x'.repeat(1_024)}  ` })
    await refused(path, { incident_ids, comment: 'x'.repeat(1_025) }, 'comment')
    await refused(path, { incident_ids, comment: '   ' }, 'comment')
    await refused(path, { incident_ids: [], comment: 'x' }, 'incident_ids')
    await refused(path, { incident_ids: Array(101).fill(incident_ids[0]), comment: 'x' }, 'incident_ids')
  })
})
