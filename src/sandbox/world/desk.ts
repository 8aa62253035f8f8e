import { PRESET_TEMPLATE_ID } from '../../contract/assumptions.ts'
import type { Int64 } from '../../contract/int64.ts'
import type { Schedule } from '../../contract/schedule.ts'
import { hash, hex8 } from '../random.ts'
import type { Calendar, ExclusionRule, Folder, MonitRule, Template } from '../store/account.ts'
import { CHECKS } from './checks.ts'
import { type Company, idOf } from './company.ts'

const DAY = 86_400

/** One schedule a team. */
export function buildSchedules(company: Company, anchor: number): Map<Int64, Schedule> {
  const schedules = company.teams.map((team, k): Schedule => {
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
            settings: {
              token: '',
              alias: team.team_name,
              data_source_id: 0,
              chat_ids: [],
              verify_token: '',
              sign_secret: '',
            },
          },
        ],
      },
    }
  })
  return new Map(schedules.map((schedule) => [schedule.schedule_id, schedule]))
}

/** Public holiday calendars; the account has no personal ones yet. */
export function buildCalendars(): Map<string, Calendar> {
  const calendars = ['de', 'us', 'sg'].map((country): Calendar => {
    return {
      cal_id: `cal.holidays-${country}-000000000`,
      cal_name: `Public holidays ${country.toUpperCase()}`,
      kind: 'holiday',
    }
  })
  return new Map(calendars.map((calendar) => [calendar.cal_id, calendar]))
}

/** Notification templates: the preset, some in use, some not. */
export function buildTemplates(seed: number, company: Company): Map<string, Template> {
  const [first, second] = company.channelSlots
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
  const own = references.map((list, k): Template => {
    const template_id = hex8(hash(seed, k, 320)) + hex8(hash(seed, k, 321)) + hex8(k)
    return { template_id, template_name: `Template ${k + 1}`, deleted_at: 0, references: list }
  })
  const preset: Template = {
    template_id: PRESET_TEMPLATE_ID,
    template_name: 'System preset',
    deleted_at: 0,
    references: [],
  }
  return new Map([preset, ...own].map((template) => [template.template_id, template]))
}

/** Two exclusion rules for every third channel, one of them disabled. */
export function buildExclusionRules(seed: number, company: Company): Map<string, ExclusionRule> {
  const rules = company.channelSlots.flatMap(({ channel }, index) =>
    index % 3 !== 0 || channel.status === 'deleted'
      ? []
      : (['enabled', 'disabled'] as const).map((status, k): ExclusionRule => {
          const rule_id = hex8(hash(seed, index, 330)) + hex8(hash(seed, index, 331)) + hex8(index * 2 + k)
          const filters = [{ key: 'labels.env', oper: 'IN', vals: ['staging'] }]
          return {
            rule_id,
            channel_id: channel.channel_id,
            rule_name: `Ignore staging ${k + 1}`,
            status,
            priority: k,
            filters,
          }
        }),
  )
  return new Map(rules.map((rule) => [rule.rule_id, rule]))
}

/** Rules of the folder that is too large to be counted. */
const LARGE_FOLDER_RULES = 5_200

/** A folder for each team with three below it, and one that holds more rules than the service counts. */
export function buildMonitoring(
  seed: number,
  company: Company,
  anchor: number,
): { folders: Map<Int64, Folder>; rules: Map<Int64, MonitRule> } {
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
  for (const team of company.teams) {
    const top = addFolder(team.team_name, 0)
    const slots = company.channelSlots.filter((slot) => slot.channel.team_id === team.team_id)
    for (const [k, part] of ['Services', 'Infrastructure', 'Business'].entries()) {
      const folder = addFolder(part, top.folder_id)
      for (const { channel, services } of slots) {
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
  return {
    folders: new Map(folders.map((folder) => [folder.folder_id, folder])),
    rules: new Map(rules.map((rule) => [rule.id, rule])),
  }
}
