import { PRESET_TEMPLATE_ID } from '../../contract/assumptions.ts'
import type { Int64 } from '../../contract/int64.ts'
import type { Schedule } from '../../contract/on-call.ts'
import { hash, hex } from '../random.ts'
import {
  type Account,
  type Calendar,
  type ExclusionRule,
  type Folder,
  keyedBy,
  type MonitRule,
  type Template,
} from '../store/world.ts'
import { CHECKS } from './checks.ts'
import { type Company, idOf } from './company.ts'
import { buildCallers, buildRoles } from './roles.ts'

const DAY = 86_400
const CALLERS_FROM = 3_790_999_000_001

export function buildAccount(company: Company, anchor: number): Account {
  const callers = buildCallers(company.accountId, CALLERS_FROM, anchor - 300 * DAY)
  const [first] = callers
  // The key with all permissions acts for the first member. This member gets teams and channels, so that `is_my_team`
  // and `is_my_channel` match.
  for (const team of company.teams.slice(0, 2)) team.person_ids?.push(first!.member_id)
  for (const { channel } of company.channels.slice(0, 2)) channel.creator_id = first!.member_id
  return {
    account_id: company.accountId,
    channels: keyedBy(
      company.channels.map(({ channel }) => channel),
      'channel_id',
    ),
    exclusionRules: keyedBy(buildExclusionRules(company), 'rule_id'),
    teams: keyedBy(company.teams, 'team_id'),
    members: keyedBy([...company.members, ...callers], 'member_id'),
    callers: keyedBy(callers, 'member_id'),
    roles: keyedBy(buildRoles(), 'role_id'),
    templates: keyedBy(buildTemplates(company), 'template_id'),
    calendars: keyedBy(HOLIDAY_CALENDARS, 'cal_id'),
    schedules: keyedBy(buildSchedules(company, anchor), 'schedule_id'),
    ...buildMonitoring(company, anchor),
    routingSince: new Map(),
  }
}

function buildSchedules(company: Company, anchor: number): Schedule[] {
  return company.teams.map((team, k) => {
    const id = idOf(5_201_433_880_131, k, 9)
    const name = `${team.team_name} on call`
    const lead = team.person_ids?.[0] ?? 0
    return {
      id,
      schedule_id: id,
      name,
      schedule_name: name,
      account_id: company.accountId,
      group_id: team.team_id,
      team_id: team.team_id,
      description: 'A week each, handed over on Monday morning.',
      disabled: k === 4 ? 1 : 0,
      status: k === 4 ? 1 : 0,
      create_at: anchor - 700 * DAY + k,
      update_at: anchor - 100 * DAY + k,
      create_by: lead,
      update_by: lead,
      layers: null,
      schedule_layers: null,
      layer_schedules: null,
      cur_oncall: null,
      next_oncall: null,
      final_schedule: { layer_name: 'final', name: 'final', mode: 0, schedules: null },
      notify: {
        advance_in_time: 3_600,
        fixed_time: null,
        by: { follow_preference: true, personal_channels: ['email'] },
        webhooks: [
          {
            type: 'chat',
            settings: { ...NO_SETTINGS, alias: team.team_name, chat_ids: [] },
          },
        ],
      },
    }
  })
}

const NO_SETTINGS = { token: '', data_source_id: 0, verify_token: '', sign_secret: '' }

/** The calendars at the start. The account has no personal calendars yet. */
const HOLIDAY_CALENDARS = ['de', 'us', 'sg'].map(
  (country): Calendar => ({
    cal_id: `cal.holidays-${country}-000000000`,
    cal_name: `Public holidays ${country.toUpperCase()}`,
    kind: 'holiday',
  }),
)

function buildTemplates({ seed, channels }: Company): Template[] {
  const [first, second] = channels
  const references = [
    [],
    [`channel ${first?.channel.channel_id}`],
    [],
    ['assignment policy "Default escalation"'],
    [],
    ['notification subscription "Weekly digest"', `channel ${second?.channel.channel_id}`],
    [],
    [],
  ]
  const own = references.map((references, k) => ({
    template_id: hex(hash(seed, k, 320), 8) + hex(hash(seed, k, 321), 8) + hex(k, 8),
    template_name: `Template ${k + 1}`,
    deleted_at: 0,
    references,
  }))
  const preset = { template_name: 'System preset', deleted_at: 0, references: [] }
  return [{ template_id: PRESET_TEMPLATE_ID, ...preset }, ...own]
}

function buildExclusionRules({ seed, channels }: Company): ExclusionRule[] {
  return channels.flatMap(({ channel }, index) =>
    index % 3 !== 0 || channel.status === 'deleted'
      ? []
      : (['enabled', 'disabled'] as const).map((status, k) => ({
          rule_id: hex(hash(seed, index, 330), 8) + hex(hash(seed, index, 331), 8) + hex(index * 2 + k, 8),
          channel_id: channel.channel_id,
          rule_name: `Ignore staging ${k + 1}`,
          status,
          priority: k,
          filters: [{ key: 'labels.env', oper: 'IN', vals: ['staging'] }],
        })),
  )
}

/** Number of rules in a folder that is so large that the service does not count its triggered rules. */
const LARGE_FOLDER_RULES = 5_200

function buildMonitoring({ seed, teams, channels: all }: Company, anchor: number) {
  const folders: Folder[] = []
  const rules: MonitRule[] = []
  const addFolder = (folder_name: string, parent_id: Int64): Folder => {
    const folder = { folder_id: idOf(7_700_100_131, folders.length, 19), folder_name, parent_id }
    folders.push(folder)
    return folder
  }
  const addRule = (name: string, folder_id: Int64, channel_ids: Int64[]) => {
    const k = rules.length
    rules.push({
      id: idOf(8_800_200_131, k, 23),
      name,
      folder_id,
      enabled: hash(seed, k, 340) % 12 !== 0,
      channel_ids,
      timezone: 'Asia/Shanghai',
      updated_at: anchor - (hash(seed, k, 341) % (300 * DAY)),
    })
  }
  for (const team of teams) {
    const top = addFolder(team.team_name, 0)
    const channels = all.filter(({ channel }) => channel.team_id === team.team_id)
    for (const [k, part] of ['Services', 'Infrastructure', 'Business'].entries()) {
      const folder = addFolder(part, top.folder_id)
      for (const { channel, services } of channels) {
        for (const service of services) {
          for (const check of CHECKS.slice(k * 3, k * 3 + 3))
            addRule(`${service} ${check.name}`, folder.folder_id, [channel.channel_id])
        }
      }
    }
    addRule(`${team.team_name} heartbeat`, top.folder_id, [])
  }
  const large = addFolder('Generated probes', 0)
  for (let k = 0; k < LARGE_FOLDER_RULES; k++) addRule(`probe ${k}`, large.folder_id, [])
  return { folders: keyedBy(folders, 'folder_id'), rules: keyedBy(rules, 'id') }
}
