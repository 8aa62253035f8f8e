import { describe, expect, test } from 'vitest'
import { operations } from '../../src/contract/index.ts'

type Name = keyof typeof operations

const hex = 'aBcDef0123456789aBcDef01'
const md5 = '0123456789abcdef0123456789ABCDEF'
const many = (count: number, value: unknown = 1) => Array.from({ length: count }, () => value)
const window = { start_time: 1_000_000, end_time: 1_000_000 + 86_400 }
const DAYS_31 = 31 * 86_400
/**
 * A text whose length depends on how characters are counted. People and the API document count one, UTF-16 counts two
 * units, and UTF-8 has four bytes.
 */
const emoji = '🔥'
const top = 2n ** 63n - 1n
const utop = 2n ** 64n - 1n

const issuesOf = (name: Name, body: unknown) =>
  operations[name].request.safeParse(body).error?.issues.map((issue) => issue.path.join('.')) ?? []

/** Values at the limits of the API document, which must pass. */
const allowed: [Name, object][] = [
  ['incident/list', window],
  ['incident/list', { start_time: 0, end_time: 1 }],
  ['incident/list', { start_time: 5, end_time: 5 + DAYS_31 }],
  ['incident/list', { start_time: 2n ** 62n, end_time: 2n ** 62n + BigInt(DAYS_31) }],
  ['incident/list', { ...window, limit: 0, p: 0 }],
  ['incident/list', { ...window, limit: 100, p: 1_000_000 }],
  ['incident/list', { ...window, incident_severity: 'Critical,Warning,Info' }],
  [
    'incident/list',
    { ...window, incident_severity: ' Info , Critical ', progress: 'Triggered,Processing,Closed' },
  ],
  ['incident/list', { ...window, incident_severity: '', progress: '' }],
  ['incident/list', { ...window, channel_ids: [0, 2n ** 60n], creator_ids: [0], closer_ids: [0] }],
  ['incident/list', { ...window, incident_ids: many(101, hex) }],
  ['incident/list', { ...window, query: null, limit: null, search_after_ctx: null }],
  ['incident/comment', { incident_ids: [hex], comment: emoji.repeat(1_024) }],
  ['incident/comment', { incident_ids: many(100, hex), comment: ` ${'x'.repeat(1_024)} ` }],
  ['incident/post-mortem/info', { post_mortem_id: md5 }],
  ['incident/post-mortem/info', { post_mortem_id: 'pm-7/ü ?&' }],
  ['alert/info', { alert_id: hex }],
  ['channel/create', { team_id: 1, channel_name: emoji.repeat(59), description: emoji.repeat(500) }],
  ['channel/create', { team_id: 1, channel_name: 'x', description: '', managing_team_ids: [1, 2, top] }],
  [
    'channel/create',
    { team_id: 1, channel_name: 'x', auto_resolve_timeout: 0, auto_resolve_mode: 'trigger' },
  ],
  [
    'channel/create',
    { team_id: 1, channel_name: 'x', auto_resolve_timeout: 2_592_000, auto_resolve_mode: 'update' },
  ],
  ['channel/update', { channel_id: top }],
  [
    'channel/update',
    { channel_id: 1, team_id: null, channel_name: null, description: null, auto_resolve_timeout: null },
  ],
  ['channel/update', { channel_id: 1, is_private: null, disable_auto_close: true, managing_team_ids: [] }],
  ['channel/info', { channel_id: 1 }],
  ['channel/enable', { channel_id: 1 }],
  ['channel/unsubscribe/rule/enable', { channel_id: 1, rule_id: hex }],
  ['schedule/infos', { schedule_ids: [1, top] }],
  ['calendar/create', { cal_name: emoji.repeat(39), description: emoji.repeat(499) }],
  [
    'calendar/create',
    { cal_name: 'x', workdays: [0, 1, 2, 3, 4, 5, 6], timezone: 'Europe/Berlin', team_id: 0 },
  ],
  ['calendar/create', { cal_name: 'x', workdays: [], timezone: '' }],
  ['template/delete', { template_id: '000000000000000000000001' }],
  ['monit/rule/update/fields', { ids: [1], fields: ['enabled'], enabled: false }],
  ['monit/rule/update/fields', { ids: [1], fields: ['whatever_comes'], whatever_comes: { deep: [1] } }],
  ['monit/rule/delete', { id: 1 }],
  ['monit/rule/status', { folder_id: 0 }],
  ['monit/rule/status', {}],
  ['role/permission/list', {}],
  ['role/permission/list', { role_ids: [0, top], with_all: true }],
  ['role/member/revoke', { member_ids: [1], role_id: 5 }],
  ['role/disable', { role_id: 0 }],
  ['role/disable', { role_id: utop }],
  ['member/list', { role_id: utop }],
  ['team/infos', { team_ids: [utop] }],
  ['member/list', {}],
  ['member/list', { p: 1, limit: 1, orderby: 'created_at', asc: false }],
  ['member/list', { p: 9, limit: 100, orderby: 'updated_at', role_id: top }],
  ['team/infos', { team_ids: many(100) }],
  ['team/infos', { team_ids: [] }],
]

/** Values just beyond the limits, with the field at fault. */
const refused: [Name, object, string][] = [
  ['incident/list', { end_time: 1 }, 'start_time'],
  ['incident/list', { start_time: 1 }, 'end_time'],
  ['incident/list', { start_time: 5, end_time: 5 }, 'end_time'],
  ['incident/list', { start_time: 6, end_time: 5 }, 'end_time'],
  ['incident/list', { start_time: 5, end_time: 5 + DAYS_31 + 1 }, 'end_time'],
  ['incident/list', { start_time: 2n ** 62n, end_time: 2n ** 62n + BigInt(DAYS_31) + 1n }, 'end_time'],
  ['incident/list', { ...window, start_time: 1.5 }, 'start_time'],
  ['incident/list', { ...window, start_time: '1000000' }, 'start_time'],
  ['incident/list', { ...window, limit: 101 }, 'limit'],
  ['incident/list', { ...window, limit: -1 }, 'limit'],
  ['incident/list', { ...window, p: -1 }, 'p'],
  ['incident/list', { ...window, asc: 'true' }, 'asc'],
  ['incident/list', { ...window, incident_severity: 'Ok' }, 'incident_severity'],
  ['incident/list', { ...window, incident_severity: 'critical' }, 'incident_severity'],
  ['incident/list', { ...window, progress: 'Closed;Triggered' }, 'progress'],
  ['incident/list', { ...window, channel_ids: [top + 1n] }, 'channel_ids.0'],
  ['incident/list', { ...window, incident_ids: [hex.slice(1)] }, 'incident_ids.0'],
  ['incident/comment', { incident_ids: [], comment: 'x' }, 'incident_ids'],
  ['incident/comment', { incident_ids: many(101, hex), comment: 'x' }, 'incident_ids'],
  ['incident/comment', { incident_ids: [hex], comment: '' }, 'comment'],
  ['incident/comment', { incident_ids: [hex], comment: ' \n' }, 'comment'],
  ['incident/comment', { incident_ids: [hex], comment: emoji.repeat(1_025) }, 'comment'],
  ['incident/post-mortem/info', {}, 'post_mortem_id'],
  ['incident/post-mortem/info', { post_mortem_id: '' }, 'post_mortem_id'],
  ['alert/info', { alert_id: `${hex}0` }, 'alert_id'],
  ['alert/info', { alert_id: `g${hex.slice(1)}` }, 'alert_id'],
  ['alert/info', { alert_id: `${hex}\n` }, 'alert_id'],
  ['channel/create', { channel_name: 'x' }, 'team_id'],
  ['channel/create', { team_id: 1 }, 'channel_name'],
  ['channel/create', { team_id: 1, channel_name: '' }, 'channel_name'],
  ['channel/create', { team_id: 1, channel_name: emoji.repeat(60) }, 'channel_name'],
  ['channel/create', { team_id: 1, channel_name: 'x', description: emoji.repeat(501) }, 'description'],
  ['channel/create', { team_id: 1, channel_name: 'x', managing_team_ids: [1, 2, 3, 4] }, 'managing_team_ids'],
  ['channel/create', { team_id: 1, channel_name: 'x', auto_resolve_timeout: -1 }, 'auto_resolve_timeout'],
  [
    'channel/create',
    { team_id: 1, channel_name: 'x', auto_resolve_timeout: 2_592_001 },
    'auto_resolve_timeout',
  ],
  ['channel/create', { team_id: 1, channel_name: 'x', auto_resolve_mode: 'never' }, 'auto_resolve_mode'],
  ['channel/update', { channel_name: 'x' }, 'channel_id'],
  ['channel/update', { channel_id: 1, channel_name: '' }, 'channel_name'],
  ['channel/update', { channel_id: 1, managing_team_ids: [1, 2, 3, 4] }, 'managing_team_ids'],
  ['channel/info', { channel_id: top + 1n }, 'channel_id'],
  ['channel/enable', {}, 'channel_id'],
  ['channel/unsubscribe/rule/enable', { channel_id: 1, rule_id: '1' }, 'rule_id'],
  ['schedule/infos', {}, 'schedule_ids'],
  ['calendar/create', {}, 'cal_name'],
  ['calendar/create', { cal_name: '' }, 'cal_name'],
  ['calendar/create', { cal_name: emoji.repeat(40) }, 'cal_name'],
  ['calendar/create', { cal_name: 'x', description: emoji.repeat(500) }, 'description'],
  ['calendar/create', { cal_name: 'x', workdays: [7] }, 'workdays.0'],
  ['calendar/create', { cal_name: 'x', workdays: [0, -1] }, 'workdays.1'],
  ['calendar/create', { cal_name: 'x', timezone: 'Mars/Olympus' }, 'timezone'],
  ['calendar/create', { cal_name: 'x', timezone: '+08:00' }, 'timezone'],
  ['template/delete', {}, 'template_id'],
  ['monit/rule/update/fields', { ids: [], fields: ['enabled'] }, 'ids'],
  ['monit/rule/update/fields', { ids: [1], fields: [] }, 'fields'],
  ['monit/rule/delete', {}, 'id'],
  ['monit/rule/status', { folder_id: '0' }, 'folder_id'],
  ['role/permission/list', { role_ids: [-1] }, 'role_ids.0'],
  ['role/member/revoke', { member_ids: [], role_id: 5 }, 'member_ids'],
  ['role/member/revoke', { member_ids: many(101), role_id: 5 }, 'member_ids'],
  ['role/disable', {}, 'role_id'],
  ['role/disable', { role_id: -1 }, 'role_id'],
  ['role/disable', { role_id: utop + 1n }, 'role_id'],
  ['member/list', { role_id: utop + 1n }, 'role_id'],
  ['member/list', { p: 0 }, 'p'],
  ['member/list', { limit: 0 }, 'limit'],
  ['member/list', { limit: 101 }, 'limit'],
  ['member/list', { orderby: 'name' }, 'orderby'],
  ['team/infos', {}, 'team_ids'],
  ['team/infos', { team_ids: many(101) }, 'team_ids'],
  ['team/infos', { team_ids: [-1n] }, 'team_ids.0'],
  ['team/infos', { team_ids: [1, utop + 1n] }, 'team_ids.1'],
]

describe('a request body', () => {
  test.each(allowed.map(([name, body]) => [name, shown(body), body] as const))(
    'within the documented limits is accepted: %s %s',
    (name, _, body) => {
      expect(issuesOf(name, body)).toEqual([])
    },
  )

  test.each(refused.map(([name, body, path]) => [name, shown(body), path, body] as const))(
    'beyond the documented limits is rejected: %s %s (error at %s)',
    (name, _, path, body) => {
      expect(issuesOf(name, body)).toEqual([path])
    },
  )

  test('is tested within and beyond the limits of every operation', () => {
    expect(Object.keys(operations).filter((name) => !allowed.some(([one]) => one === name))).toEqual([])
    expect(Object.keys(operations).filter((name) => !refused.some(([one]) => one === name))).toEqual([])
  })
})

function shown(body: object): string {
  const text = JSON.stringify(body, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))
  return text.length > 80 ? `${text.slice(0, 80)}… (${text.length})` : text
}
