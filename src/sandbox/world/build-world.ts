import type { Int64 } from '../../contract/int64.ts'
import type { Clock } from '../clock.ts'
import type { World } from '../sandbox.ts'
import type { Account } from '../store/account.ts'
import { buildCallers, buildRoles } from './account-roles.ts'
import { alertIdOf, tellAlert } from './alerts.ts'
import { ACCOUNT_ID, buildCompany, type Company } from './company.ts'
import {
  buildCalendars,
  buildExclusionRules,
  buildMonitoring,
  buildSchedules,
  buildTemplates,
} from './desk.ts'
import { postMortems } from './post-mortems.ts'
import { type WorldOptions, worldIncidents } from './world-incidents.ts'

const CALLERS_FROM = 3_790_999_000_001

/** Builds the seeded world: a company, and the stories of its incidents as the clock tells them. */
export function buildWorld(options: WorldOptions, clock: Clock): World {
  const { seed, incidents: amount, anchor } = options
  const company = buildCompany(seed, amount, anchor, options.accountId ?? ACCOUNT_ID)
  const account = buildAccount(seed, company, anchor)
  const incidents = worldIncidents(options, company, account.routingSince, clock)
  incidents.count()
  const reports = postMortems(incidents, seed, company, clock.now)
  return {
    account,
    incidents,
    alert: (id) => tellAlert(incidents, company.accountId, seed, clock.now(), id),
    postMortem: reports.find,
    postMortemIds: reports.ids,
    alertIds(most) {
      const ids: string[] = []
      for (let i = incidents.count() - 1; i >= 0 && ids.length < most; i--) {
        if (incidents.isListed(i) && incidents.table.alerts[i]! > 0) ids.push(alertIdOf(seed, i, 0))
      }
      return ids
    },
  }
}

function buildAccount(seed: number, company: Company, anchor: number): Account {
  const callers = buildCallers(company.accountId, CALLERS_FROM, anchor - 300 * 86_400)
  const [first] = callers
  // The key for everything speaks for somebody with teams and channels, so that `is_my_team` finds something.
  for (const team of company.teams.slice(0, 2)) team.person_ids?.push(first!.member_id)
  for (const slot of company.channelSlots.slice(0, 2)) slot.channel.creator_id = first!.member_id
  const byId = <T>(list: readonly T[], id: (one: T) => Int64) => new Map(list.map((one) => [id(one), one]))
  return {
    account_id: company.accountId,
    channels: byId(
      company.channelSlots.map((slot) => slot.channel),
      (channel) => channel.channel_id,
    ),
    exclusionRules: buildExclusionRules(seed, company),
    teams: byId(company.teams, (team) => team.team_id),
    members: byId([...company.members, ...callers], (member) => member.member_id),
    callers: byId(callers, (member) => member.member_id),
    roles: buildRoles(),
    templates: buildTemplates(seed, company),
    calendars: buildCalendars(),
    schedules: buildSchedules(company, anchor),
    ...buildMonitoring(seed, company, anchor),
    routingSince: new Map(),
  }
}
