import { type Incident, incident } from '../../contract/incident.ts'
import type { Int64 } from '../../contract/int64.ts'
import { hash, hex } from '../random.ts'
import { CHECKS, regionOf } from './checks.ts'
import { type Company, type CompanyChannel, idOf } from './company.ts'
import { descriptionOf, impactOf, labelsOf, serviceOf, titleOf } from './generated-text.ts'
import type { IncidentState } from './incident-state.ts'
import { INTEGRATIONS } from './names.ts'
import type { Timeline } from './timeline.ts'

const CONSOLE = 'https://console.sandbox.invalid/incident'
const NO_RULE = '000000000000000000000000'
const SOURCES = INTEGRATIONS.map(([type], k) => ({ id: idOf(6_113_996_590_131, k, 0), type }))
type Source = (typeof SOURCES)[number]

/** Creates the id of an incident from its start, its number and random digits. `find` reads the number from the id. */
export function incidentIdOf(seed: number, { index, start }: Timeline): string {
  return hex(start, 8) + hex(index, 6) + hex(hash(seed, index, 280), 4) + hex(hash(seed, index, 281), 6)
}

interface Facts {
  readonly company: Company
  readonly timeline: Timeline
  readonly state: IncidentState
  readonly channel: CompanyChannel | undefined
  readonly postMortemId: string
}

/** Builds the record of an incident. Assigning to a blank record is three times as fast as spreading. */
export function recordOf(facts: Facts): Incident {
  const { company, timeline, state } = facts
  const id = incidentIdOf(company.seed, timeline)
  const sources = sourcesOf(company.seed, timeline, state)
  return Object.assign(
    { ...BLANK },
    originOf(facts, id, sources),
    courseOf(facts),
    shownOf(facts, id, sources),
  )
}

/** All fields of a record except `alerts`, which the service sends only in notifications. */
const FIELDS = Object.keys(incident.shape).filter((name) => name !== 'alerts')
const BLANK: object = JSON.parse(`{${FIELDS.map((name) => `"${name}":null`)}}`)

function originOf({ company, timeline, channel }: Facts, id: string, sources: readonly Source[]) {
  const { seed, accountId } = company
  const { index } = timeline
  const check = CHECKS[timeline.check]!.name
  const customFields = {
    customer_impact: timeline.severity === 0,
    affected_customers: hash(seed, index, 260) % 900,
    incident_type: check,
  }
  return {
    incident_id: id,
    account_id: accountId,
    account_name: 'Meridian Retail',
    account_locale: 'en-US',
    account_time_zone: 'Europe/Berlin',
    channel_id: channel?.channel.channel_id ?? 0,
    integration_id: sources[0]?.id ?? 0,
    integration_ids: sources.map((source) => source.id),
    integration_types: sources.map((source) => source.type),
    dedup_key: `${serviceOf(timeline, channel)}/${check}/${regionOf(seed, index)}`,
    equals_md5: [253, 254, 255, 256].map((salt) => hex(hash(seed, index, salt), 8)).join(''),
    num: id.slice(-6).toUpperCase(),
    frequency: hash(seed, index, 261) % 11 === 0 ? ('rare' as const) : ('frequent' as const),
    created_at: timeline.created,
    group_method:
      (timeline.creator === 0 && (channel?.channel.group?.method as Incident['group_method'])) || 'n',
    ever_muted: timeline.isMuted,
    labels: labelsOf(seed, timeline, channel),
    fields: hash(seed, index, 259) % 3 === 0 ? customFields : {},
  }
}

function courseOf(facts: Facts) {
  const { company, timeline, state } = facts
  const { responders } = state.assignment
  const owner = responders.findLast((one) => one.acknowledgedAt !== 0)?.member ?? 0
  return {
    start_time: timeline.start,
    end_time: state.end,
    last_time: state.last,
    ack_time: state.ack,
    close_time: state.close,
    creator_id: memberIdOf(company, timeline.creator),
    closer_id: memberIdOf(company, state.closer),
    owner_id: memberIdOf(company, owner),
    incident_status: state.status,
    incident_severity: state.severity,
    progress: state.progress,
    deleted_at: state.deletedAt,
    updated_at: state.updated,
    snoozed_before: state.snoozedBefore,
    assigned_to: assignedTo(facts),
    alert_cnt: state.alerts,
    active_alert_cnt: state.active,
    alert_event_cnt: state.events,
    closer: personOf(company, state.closer),
    creator: personOf(company, timeline.creator),
    owner: personOf(company, owner),
    responders: responders.map((one) => ({
      person_id: memberIdOf(company, one.member),
      assigned_at: one.assignedAt,
      acknowledged_at: one.acknowledgedAt,
    })),
    manual_overrides: state.isEdited ? ['incident_severity'] : [],
  }
}

function shownOf(facts: Facts, id: string, sources: readonly Source[]) {
  const { company, timeline, state, channel } = facts
  const { seed } = company
  const check = CHECKS[timeline.check]!
  const place = `${serviceOf(timeline, channel)} in ${regionOf(seed, timeline.index)}`
  return {
    title: titleOf(company, timeline, channel),
    description: descriptionOf(timeline),
    ai_summary: state.isSummarised
      ? `${place}: ${check.name} left its usual range. Look at the last deploy first.`
      : '',
    impact: state.isExplained ? impactOf(seed, timeline, channel) : '',
    root_cause: state.isExplained ? check.cause : '',
    resolution: state.isExplained ? check.fix : '',
    reporter_email: timeline.creator === 0 ? undefined : `reporter${timeline.creator}@example.invalid`,
    channel_name: channel?.channel.channel_name ?? '',
    channel_status: channel?.channel.status ?? '',
    detail_url: `${CONSOLE}/detail/${id}`,
    silence_url: `${CONSOLE}/silence/${id}`,
    links: [],
    integration_type: sources[0]?.type ?? '',
    post_mortem_id: facts.postMortemId,
    images: imagesOf(facts, id),
    data_source_id: sources[0]?.id ?? 0,
    data_source_ids: sources.map((source) => source.id),
    data_source_types: sources.map((source) => source.type),
    data_source_type: sources[0]?.type ?? '',
  }
}

function assignedTo({ company, timeline, state: { assignment } }: Facts): Incident['assigned_to'] {
  const { responders, assignedAt } = assignment
  const isNobody = responders.length === 0
  return {
    person_ids: responders.map((one) => memberIdOf(company, one.member)),
    escalate_rule_id: isNobody ? NO_RULE : ruleIdOf(company.seed, timeline.channel),
    layer_idx: assignment.layer,
    type: assignment.assignedBy,
    assigned_at: assignedAt,
    id: assignedAt === 0 ? '' : hex(timeline.start, 8) + hex(timeline.index >>> 8, 4) + hex(assignedAt, 8),
    escalate_rule_name: isNobody || timeline.channel === 0 ? '' : 'Default escalation',
  }
}

function memberIdOf({ members }: Company, number: number): Int64 {
  return number === 0 ? 0 : members[number - 1]!.member_id
}

function personOf({ members }: Company, number: number) {
  if (number === 0) return undefined
  const { member_id, member_name, email } = members[number - 1]!
  return { person_id: member_id, person_name: member_name, email }
}

function imagesOf({ company, timeline, channel }: Facts, id: string): Incident['images'] {
  if (timeline.creator !== 0 || hash(company.seed, timeline.index, 262) % 12 !== 0) return null
  const service = serviceOf(timeline, channel)
  const check = CHECKS[timeline.check]!.name
  const monitor = 'https://monitoring.sandbox.invalid'
  const alt = `${check} of ${service}`
  return [{ src: `${monitor}/graphs/${id}.png`, href: `${monitor}/${service}/${check}`, alt }]
}

function sourcesOf(seed: number, { index, creator }: Timeline, { alerts }: IncidentState): Source[] {
  if (creator !== 0) return []
  const main = hash(seed, index, 251) % SOURCES.length
  const hasTwo = alerts > 4 && hash(seed, index, 252) % 4 === 0
  return hasTwo ? [SOURCES[main]!, SOURCES[(main + 1) % SOURCES.length]!] : [SOURCES[main]!]
}

function ruleIdOf(seed: number, channel: number): string {
  const spot = channel - 1
  return channel === 0
    ? NO_RULE
    : hex(hash(seed, spot, 250), 8) + hex(hash(seed, spot, 251), 8) + hex(spot, 8)
}
