import { DAY, type Json, NOW, type Talk } from '../../support/sandbox.ts'

/** One row of the table of endpoints in the API document, with a valid request. */
export interface Row {
  path: string
  method: 'GET' | 'POST'
  /** Each of these permissions is sufficient. Empty if no permission is required. */
  permissions: string[]
  request(world: Json): Record<string, unknown>
}

/** The 20 operations in the parts "Endpoints" and "Authentication" of the API document. */
export const ROWS: readonly Row[] = [
  row('/incident/list', 'incident view (on-call)', () => ({
    start_time: NOW - 20 * DAY,
    end_time: NOW,
    limit: 3,
  })),
  row('/incident/comment', 'incident management (on-call)', (w) => ({
    incident_ids: w.incidents.slice(0, 2),
    comment: 'looking',
  })),
  row('/alert/info', 'channel view (on-call)', (w) => ({ alert_id: w.alerts[0] })),
  row('/channel/create', 'channel management (on-call)', (w) => ({
    team_id: w.teams[0],
    channel_name: 'New',
  })),
  row('/channel/update', 'channel management (on-call)', (w) => ({
    channel_id: w.channels[0],
    description: 'x',
  })),
  row('/channel/info', '', (w) => ({ channel_id: w.channels[0] })),
  row('/channel/enable', 'channel management (on-call)', (w) => ({ channel_id: w.disabled_channels[0] })),
  row('/channel/unsubscribe/rule/enable', '', (w) => w.disabled_exclusion_rules[0]),
  row('/schedule/infos', 'schedule view (on-call)|schedule management (on-call)', (w) => ({
    schedule_ids: w.schedules,
  })),
  row('/calendar/create', 'service calendar management (on-call)', () => ({ cal_name: 'Working days' })),
  row('/template/delete', 'template management (on-call)', (w) => ({ template_id: w.free_templates[0] })),
  row('/monit/rule/update/fields', 'alert rule management (monit)', (w) => ({
    ids: w.rules.slice(0, 2),
    fields: ['enabled'],
    enabled: false,
  })),
  row('/monit/rule/delete', 'alert rule management (monit)', (w) => ({ id: w.rules[5] })),
  row('/monit/rule/status', 'alert rule management (monit)', () => ({ folder_id: 0 })),
  row('/role/permission/list', '', () => ({ with_all: true })),
  row('/role/member/revoke', 'role management (organization)', (w) => ({
    member_ids: [w.members[0]],
    role_id: 6,
  })),
  row('/role/disable', 'role management (organization)', (w) => ({ role_id: w.custom_roles[0] })),
  row('/member/list', '', () => ({ limit: 5 })),
  row('/team/infos', '', (w) => ({ team_ids: w.teams })),
  {
    ...row('/incident/post-mortem/info', 'incident view (on-call)', (w) => ({
      post_mortem_id: w.post_mortems[0],
    })),
    method: 'GET',
  },
]

function row(path: string, permissions: string, request: (world: Json) => Record<string, unknown>): Row {
  return { path, method: 'POST', permissions: permissions.split('|').filter((one) => one !== ''), request }
}

export function call(
  service: Talk,
  { method, path }: Pick<Row, 'method' | 'path'>,
  request: Record<string, unknown>,
  key?: string,
) {
  return method === 'GET'
    ? service.get(path, request as Record<string, string>, key)
    : service.post(path, request, key)
}
