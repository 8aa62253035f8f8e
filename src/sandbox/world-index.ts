import { PRESET_TEMPLATE_ID } from '../contract/assumptions.ts'
import type { Clock } from './clock.ts'
import type { AppKey } from './keys.ts'
import type { World } from './sandbox.ts'

/** Ids of each kind that the side door names at most. */
const MOST = 20

/** What there is to work with: counts, keys, and ids of each kind that can be used. */
export function describeWorld(
  world: World,
  clock: Clock,
  keys: readonly AppKey[],
  baseUrl: string,
): Record<string, unknown> {
  const { account } = world
  const channels = [...account.channels.values()]
  const roles = [...account.roles.values()]
  const templates = [...account.templates.values()].filter((template) => template.deleted_at === 0)
  const calendars = [...account.calendars.values()]
  return {
    base_url: baseUrl,
    now: clock.now(),
    account_id: account.account_id,
    counts: {
      incidents: listed(world),
      channels: account.channels.size,
      teams: account.teams.size,
      members: account.members.size,
      schedules: account.schedules.size,
      calendars: calendars.length,
      templates: templates.length,
      folders: account.folders.size,
      rules: account.rules.size,
      roles: roles.length,
    },
    app_keys: Object.fromEntries(keys.map(({ name, key }) => [name, key])),
    incidents: latest(world),
    alerts: world.alertIds(MOST),
    channels: some(
      channels.filter((one) => one.status === 'enabled'),
      (one) => one.channel_id,
    ),
    disabled_channels: some(
      channels.filter((one) => one.status === 'disabled'),
      (one) => one.channel_id,
    ),
    disabled_exclusion_rules: some(
      [...account.exclusionRules.values()].filter((rule) => rule.status === 'disabled'),
      ({ channel_id, rule_id }) => ({ channel_id, rule_id }),
    ),
    teams: some([...account.teams.values()], (one) => one.team_id),
    schedules: some([...account.schedules.values()], (one) => one.schedule_id),
    calendars: some(calendars, (one) => one.cal_id),
    free_templates: some(
      templates.filter((one) => one.references.length === 0 && one.template_id !== PRESET_TEMPLATE_ID),
      (one) => one.template_id,
    ),
    referenced_templates: some(
      templates.filter((one) => one.references.length > 0),
      (one) => one.template_id,
    ),
    rules: some([...account.rules.values()], (one) => one.id),
    folders: some([...account.folders.values()], (one) => one.folder_id),
    custom_roles: some(
      roles.filter((one) => !one.built_in),
      (one) => one.role_id,
    ),
    builtin_roles: some(
      roles.filter((one) => one.built_in),
      (one) => one.role_id,
    ),
    members: some([...account.members.values()], (one) => one.member_id),
    post_mortems: world.postMortemIds(MOST),
  }
}

/** The newest incidents. */
function latest({ incidents }: World): string[] {
  const ids: string[] = []
  for (let k = incidents.count() - 1; k >= 0 && ids.length < MOST; k--) {
    if (incidents.isListed(k)) ids.push(incidents.idOf(k))
  }
  return ids
}

function listed({ incidents }: World): number {
  let count = 0
  for (let k = 0; k < incidents.count(); k++) if (incidents.isListed(k)) count++
  return count
}

function some<T, U>(list: readonly T[], of: (one: T) => U): U[] {
  return list.slice(0, MOST).map(of)
}
