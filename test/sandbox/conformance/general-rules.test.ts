import { beforeAll, describe, expect, test } from 'vitest'
import { DAY, type Json, NOW, open, type Talk } from '../../support/sandbox.ts'
import { dataOf, expectFailure, expectFields } from './expectations.ts'
import { call, ROWS } from './operations.ts'

let service: Talk
let world: Json
beforeAll(async () => {
  service = await open()
  world = await service.control('world')
})

describe('the sandbox', () => {
  test('has 20 operations, all with POST except the post-mortem read', () => {
    expect(ROWS.length).toBe(20)
    expect(ROWS.filter((row) => row.method === 'GET').map((row) => row.path)).toEqual([
      '/incident/post-mortem/info',
    ])
  })

  const EMPTY = [
    '/incident/comment',
    '/channel/enable',
    '/channel/unsubscribe/rule/enable',
    '/template/delete',
    '/monit/rule/delete',
    '/role/member/revoke',
    '/role/disable',
  ]
  test.each(EMPTY)('returns an empty object as the data of %s', async (path) => {
    const fresh = await open()
    const row = ROWS.find((one) => one.path === path)!
    expect(dataOf(await call(fresh, row, row.request(await fresh.control('world'))))).toEqual({})
  })

  test('returns 0 for the close and acknowledgement times of a triggered incident', async () => {
    const body = { start_time: NOW - 31 * DAY, end_time: NOW, progress: 'Triggered' }
    const { items } = dataOf(await service.post('/incident/list', body))
    expect(items.length).toBeGreaterThan(0)
    for (const item of items) {
      expect(item.start_time).toBeGreaterThan(NOW - 31 * DAY)
      expect([item.close_time, item.ack_time]).toEqual([0, 0])
    }
  })

  test('accepts and returns numeric ids exactly, even beyond 2^53', async () => {
    const long = world.members.find((id: unknown) => typeof id === 'bigint')
    expect(long).toBeGreaterThan(2n ** 53n)
    const { items } = dataOf(await service.post('/member/list', {}))
    expect(items.map((one: { member_id: unknown }) => one.member_id)).toContain(long)
    expectFailure(
      await service.post('/channel/info', { channel_id: 2n ** 63n }),
      400,
      'InvalidParameter',
      'channel_id',
    )
    expectFailure(
      await service.post('/channel/info', { channel_id: 2n ** 63n - 1n }),
      400,
      'ResourceNotFound',
    )
    expectFailure(
      await service.post('/channel/info', { channel_id: -(2n ** 63n) - 1n }),
      400,
      'InvalidParameter',
    )
  })

  test.each([
    ['/alert/info', 'alert_id', {}],
    ['/template/delete', 'template_id', {}],
    ['/channel/unsubscribe/rule/enable', 'rule_id', { channel_id: 1 }],
    ['/incident/comment', 'incident_ids', { comment: 'x' }],
  ])('rejects a request to %s if %s is not a 24-digit hexadecimal id', async (path, field, rest) => {
    for (const id of ['', 'g'.repeat(24), 'a'.repeat(23), 'a'.repeat(25), `${'a'.repeat(24)}\n`, 7, null]) {
      const value = field === 'incident_ids' ? [id] : id
      expectFailure(await service.post(path, { ...rest, [field]: value }), 400, 'InvalidParameter', field)
    }
  })
})

describe('the sandbox', () => {
  test('returns incidents with all required fields and the documented types', async () => {
    const { items } = dataOf(
      await service.post('/incident/list', { start_time: NOW - 31 * DAY, end_time: NOW, limit: 100 }),
    )
    expect(items.length).toBe(100)
    for (const item of items) {
      expectFields(
        item,
        `
        hex24: incident_id
        int64: account_id channel_id integration_id start_time end_time last_time ack_time close_time creator_id closer_id owner_id
        int64: created_at updated_at snoozed_before alert_cnt active_alert_cnt alert_event_cnt deleted_at data_source_id
        int64[]: integration_ids data_source_ids
        string[]: integration_types manual_overrides data_source_types
        string: dedup_key equals_md5 title description ai_summary impact root_cause resolution num account_name account_locale
        string: account_time_zone channel_name channel_status detail_url silence_url integration_type post_mortem_id data_source_type
        severity: incident_status incident_severity
        progress: progress
        frequency: frequency
        group_method: group_method
        boolean: ever_muted
        object: labels fields assigned_to
        object[]: responders links
        object[] or null: images`.replace(/\n {8}/g, '\n'),
      )
      expectFields(
        item.assigned_to,
        'string: escalate_rule_id type id escalate_rule_name\nint64: layer_idx assigned_at',
      )
      expectFields(item.assigned_to, 'int64[]: person_ids')
      if (item.responders.length === 0) expect(item.assigned_to.person_ids).toEqual([])
      for (const one of item.responders) expectFields(one, 'int64: person_id assigned_at acknowledged_at')
      expect(item).not.toHaveProperty('alerts')
      expect([
        item.data_source_id,
        item.data_source_ids,
        item.data_source_type,
        item.data_source_types,
      ]).toEqual([item.integration_id, item.integration_ids, item.integration_type, item.integration_types])
    }
  })

  test('returns a channel with its id, name, status and team', async () => {
    const channel = dataOf(await service.post('/channel/info', { channel_id: world.channels[0] }))
    expectFields(channel, 'int64: channel_id team_id\nstring: channel_name status')
    expect(channel.status).toBe('enabled')
  })

  test('returns a schedule with every documented field', async () => {
    const { items } = dataOf(await service.post('/schedule/infos', { schedule_ids: world.schedules }))
    expect(items.length).toBe(world.schedules.length)
    for (const item of items) {
      expectFields(
        item,
        'int64: id schedule_id account_id group_id team_id disabled status create_at update_at create_by update_by\nstring: name schedule_name description\nnullable: layers schedule_layers layer_schedules cur_oncall next_oncall\nobject: final_schedule notify',
      )
      expect([item.schedule_id, item.schedule_name, item.group_id]).toEqual([
        item.id,
        item.name,
        item.team_id,
      ])
      expectFields(item.final_schedule, 'string: layer_name name\nint64: mode\nnullable: schedules')
      expectFields(
        item.notify,
        'int64: advance_in_time\nnullable: fixed_time\nobject: by\nobject[]: webhooks',
      )
      expectFields(item.notify.by, 'boolean: follow_preference\nstring[]: personal_channels')
      for (const hook of item.notify.webhooks) {
        expectFields(hook, 'string: type\nobject: settings')
        expectFields(
          hook.settings,
          'string: token alias verify_token sign_secret\nint64: data_source_id\nstring[]: chat_ids',
        )
      }
    }
  })

  test('returns an alert with its documented fields and its incident', async () => {
    for (const alert_id of world.alerts) {
      const alert = dataOf(await service.post('/alert/info', { alert_id }))
      expectFields(
        alert,
        'hex24: alert_id\nstring: title\nseverity: alert_severity alert_status\nint64: start_time event_cnt',
      )
      expect(alert.alert_id).toBe(alert_id)
      expect(world.incidents.length).toBe(20)
      expectFields(alert.incident, 'hex24: incident_id\nstring: title\nprogress: progress')
    }
  })

  test('returns a member with every field and a masked phone number', async () => {
    for (const item of dataOf(await service.post('/member/list', {})).items) {
      expectFields(
        item,
        'int64: account_id member_id created_at updated_at\nstring: member_name country_code phone email avatar ref_id status\nboolean: phone_verified email_verified is_external\nint64[]: account_role_ids',
      )
      if (item.phone !== '') expect(item.phone).toMatch(/^\+\d+\*{4}\d{4}$/)
    }
  })

  test('returns a team with its id, name and members', async () => {
    for (const item of dataOf(await service.post('/team/infos', { team_ids: world.teams })).items) {
      expectFields(item, 'int64: team_id\nstring: team_name\nint64[]: person_ids')
    }
  })

  test('returns a permission with every field and one of three scopes', async () => {
    const { items } = dataOf(await service.post('/role/permission/list', { with_all: true }))
    for (const item of items) {
      expectFields(
        item,
        'int64: id\nstring: permission_name permission_type description class scope status\nboolean: is_granted',
      )
    }
    const scopes = new Set(items.map((one: { scope: string }) => one.scope))
    expect(scopes).toEqual(new Set(['on-call', 'monit', 'organization']))
  })

  test('returns a post-mortem whose incidents link back to the post-mortem', async () => {
    for (const post_mortem_id of world.post_mortems.slice(0, 5)) {
      const report = dataOf(await service.get('/incident/post-mortem/info', { post_mortem_id }))
      expectFields(
        report.meta,
        'int64: account_id team_id channel_id created_at_seconds updated_at_seconds media_count\nstring: title status post_mortem_id template_id channel_name\nstring[]: incident_ids\nint64[]: author_ids\nboolean: is_private',
      )
      expectFields(
        report.basics,
        'severity: incidents_highest_severity\nint64: incidents_earliest_start_seconds incidents_latest_close_seconds incidents_total_duration_seconds\nobject[]: responders',
      )
      expectFields(report.content, 'string: content')
      expectFields(report, 'string: follow_ups')
      const start = report.basics.incidents_earliest_start_seconds
      const { items } = dataOf(
        await service.post('/incident/list', {
          start_time: start,
          end_time: start + 31 * DAY,
          incident_ids: report.meta.incident_ids,
        }),
      )
      expect(items.map((one: { post_mortem_id: string }) => one.post_mortem_id)).toEqual(
        report.meta.incident_ids.map(() => post_mortem_id),
      )
    }
  })

  test('returns the rule counts of a folder and its subfolders', async () => {
    const rows = dataOf(await service.post('/monit/rule/status', { folder_id: world.folders[0] }))
    expect(rows.length).toBe(4)
    for (const one of rows)
      expectFields(one, 'int64: folder_id rule_total triggered_rule_count\nstring: folder_name')
  })
})
