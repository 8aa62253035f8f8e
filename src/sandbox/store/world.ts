import type { Alert } from '../../contract/alert.ts'
import type { Channel } from '../../contract/channel.ts'
import type { Incident } from '../../contract/incident.ts'
import type { Int64 } from '../../contract/int64.ts'
import type { FolderRuleStatus } from '../../contract/monit.ts'
import type { Schedule } from '../../contract/on-call.ts'
import type { Permission } from '../../contract/operation.ts'
import type { Member, Team } from '../../contract/organization.ts'
import type { PostMortem } from '../../contract/post-mortem.ts'

export interface World {
  readonly account: Account
  readonly incidents: Incidents
  /** Returns an alert, or undefined if it does not exist at the clock's time. */
  alert(alertId: string): Alert | undefined
  postMortem(postMortemId: string): PostMortem | undefined
  /** Returns ids of alerts, newest alerts first. */
  alertIds(most: number): string[]
  postMortemIds(most: number): string[]
}

/** Incidents at the clock's time. Each has a fixed number (`index`), in order of start_time and incident_id. */
export interface Incidents {
  /** Number of incidents that have started. */
  count(): number
  startOf(index: number): number
  idOf(index: number): string
  /** Whether the list contains the incident: after it was created and before it was purged. */
  isListed(index: number): boolean
  /** Whether the incident is closed and will not be reopened. Faster than `record`. */
  isClosedForGood(index: number): boolean
  record(index: number): Incident
  json(index: number): string
  find(incidentId: string): number | undefined
}

export interface ExclusionRule {
  rule_id: string
  channel_id: Int64
  rule_name: string
  status: 'enabled' | 'disabled'
  priority: number
  filters: unknown[]
}

export interface Role {
  role_id: Int64
  role_name: string
  status: 'enabled' | 'disabled'
  built_in: boolean
  permissions: readonly Permission[]
}

export interface Template {
  template_id: string
  template_name: string
  /** Time of deletion, or 0. */
  deleted_at: number
  /** Objects that refer to the template, e.g. `channel 7`. */
  references: readonly string[]
}

export interface Calendar {
  cal_id: string
  cal_name: string
  kind: 'personal' | 'holiday'
  [field: string]: unknown
}

export interface Folder {
  folder_id: Int64
  folder_name: string
  parent_id: Int64
  /** Imported counts, which are returned unchanged. */
  given?: FolderRuleStatus
}

export interface MonitRule {
  id: Int64
  name: string
  folder_id: Int64
  enabled: boolean
  channel_ids: Int64[]
  timezone: string
  updated_at: number
  [field: string]: unknown
}

/** Everything in the account except incidents. Only handlers and faults change it. */
export interface Account {
  readonly account_id: Int64
  readonly channels: Map<Int64, Channel>
  readonly exclusionRules: Map<string, ExclusionRule>
  readonly teams: Map<Int64, Team>
  readonly members: Map<Int64, Member>
  /** Members that keys act for. In generated data, `members` contains them as well. */
  readonly callers: Map<Int64, Member>
  readonly roles: Map<Int64, Role>
  readonly templates: Map<string, Template>
  readonly calendars: Map<string, Calendar>
  readonly schedules: Map<Int64, Schedule>
  readonly folders: Map<Int64, Folder>
  readonly rules: Map<Int64, MonitRule>
  /** When channels that were disabled at first were enabled, in Unix seconds by channel id. */
  readonly routingSince: Map<Int64, number>
}

export function keyedBy<One, Field extends keyof One>(
  list: readonly One[],
  field: Field,
): Map<One[Field], One> {
  return new Map(list.map((one) => [one[field], one]))
}
