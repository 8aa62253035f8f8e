import type { Incident } from '../../contract/incident.ts'
import { hash, hex } from '../random.ts'
import { CHECKS, regionOf } from './checks.ts'
import { type Company, type CompanyChannel, idOf } from './company.ts'
import type { IncidentState } from './incident-state.ts'
import { INTEGRATIONS } from './names.ts'
import { descriptionOf, impactOf, labelsOf, serviceOf, titleOf } from './texts.ts'
import type { Timeline } from './timeline.ts'

const CONSOLE = 'https://console.sandbox.invalid/incident'
const NO_RULE = '000000000000000000000000'
const SOURCES = INTEGRATIONS.map(([type], k) => ({ id: idOf(6_113_996_590_131, k, 0), type }))

/** The id of an incident: its start, its number (which can be read back), and chance. */
export function incidentIdOf(seed: number, { index, start }: Timeline): string {
  return hex(start, 8) + hex(index, 6) + hex(hash(seed, index, 280), 4) + hex(hash(seed, index, 281), 6)
}

/**
 * The record as incident/list gives it, fields in the order of the document's table.
 * @param channel undefined for a standalone incident
 * @param postMortemId empty when there is none, or not yet
 */
export function recordOf(
  company: Company,
  timeline: Timeline,
  state: IncidentState,
  channel: CompanyChannel | undefined,
  postMortemId: string,
): Incident {
  const { seed } = company
  const { index, creator } = timeline
  const id = incidentIdOf(seed, timeline)
  const check = CHECKS[timeline.check]!
  const service = serviceOf(timeline, channel)
  const region = regionOf(seed, index)
  const sources = sourcesOf(seed, timeline, state)
  const sourceIds = sources.map((source) => source.id)
  const sourceTypes = sources.map((source) => source.type)
  const { assignment } = state
  const { responders } = assignment
  const owner = responders.findLast((one) => one.acknowledgedAt !== 0)?.member ?? 0
  const memberId = (number: number) => (number === 0 ? 0 : company.members[number - 1]!.member_id)
  const person = (number: number) => {
    if (number === 0) return undefined
    const { member_id, member_name, email } = company.members[number - 1]!
    return { person_id: member_id, person_name: member_name, email }
  }
  return {
    incident_id: id,
    account_id: company.accountId,
    account_name: 'Meridian Retail',
    account_locale: 'en-US',
    account_time_zone: 'Europe/Berlin',
    channel_id: channel?.channel.channel_id ?? 0,
    integration_id: sourceIds[0] ?? 0,
    integration_ids: sourceIds,
    integration_types: sourceTypes,
    dedup_key: `${service}/${check.name}/${region}`,
    equals_md5: [253, 254, 255, 256].map((salt) => hex(hash(seed, index, salt), 8)).join(''),
    start_time: timeline.start,
    end_time: state.end,
    last_time: state.last,
    ack_time: state.ack,
    close_time: state.close,
    creator_id: memberId(creator),
    closer_id: memberId(state.closer),
    owner_id: memberId(owner),
    incident_status: state.status,
    incident_severity: state.severity,
    progress: state.progress,
    title: titleOf(company, timeline, channel),
    description: descriptionOf(timeline),
    ai_summary: state.isSummarised
      ? `${service} in ${region}: ${check.name} left its usual range. Look at the last deploy first.`
      : '',
    impact: state.isExplained ? impactOf(seed, timeline, channel) : '',
    root_cause: state.isExplained ? check.cause : '',
    resolution: state.isExplained ? check.fix : '',
    num: id.slice(-6).toUpperCase(),
    frequency: hash(seed, index, 261) % 11 === 0 ? 'rare' : 'frequent',
    deleted_at: state.deletedAt,
    created_at: timeline.created,
    updated_at: state.updated,
    snoozed_before: state.snoozedBefore,
    group_method:
      (creator === 0 && (channel?.channel.group?.method as Incident['group_method'] | undefined)) || 'n',
    ever_muted: timeline.isMuted,
    labels: labelsOf(seed, timeline, channel),
    fields:
      hash(seed, index, 259) % 3 === 0
        ? {
            customer_impact: timeline.severity === 0,
            affected_customers: hash(seed, index, 260) % 900,
            incident_type: check.name,
          }
        : {},
    assigned_to: {
      person_ids: responders.map((one) => memberId(one.member)),
      escalate_rule_id: responders.length === 0 ? NO_RULE : ruleIdOf(seed, timeline.channel),
      layer_idx: assignment.layer,
      type: assignment.assignedBy,
      assigned_at: assignment.assignedAt,
      id:
        assignment.assignedAt === 0
          ? ''
          : hex(timeline.start, 8) + hex(index >>> 8, 4) + hex(assignment.assignedAt, 8),
      escalate_rule_name: responders.length === 0 || timeline.channel === 0 ? '' : 'Default escalation',
    },
    reporter_email: creator === 0 ? undefined : `reporter${creator}@example.invalid`,
    alert_cnt: state.alerts,
    active_alert_cnt: state.active,
    alert_event_cnt: state.events,
    closer: person(state.closer),
    creator: person(creator),
    owner: person(owner),
    responders: responders.map((one) => ({
      person_id: memberId(one.member),
      assigned_at: one.assignedAt,
      acknowledged_at: one.acknowledgedAt,
    })),
    channel_name: channel?.channel.channel_name ?? '',
    channel_status: channel?.channel.status ?? '',
    detail_url: `${CONSOLE}/detail/${id}`,
    silence_url: `${CONSOLE}/silence/${id}`,
    links: [],
    integration_type: sourceTypes[0] ?? '',
    post_mortem_id: postMortemId,
    images: hash(seed, index, 262) % 12 === 0 && creator === 0 ? [graphOf(service, check.name, id)] : null,
    manual_overrides: state.isEdited ? ['incident_severity'] : [],
    data_source_id: sourceIds[0] ?? 0,
    data_source_ids: sourceIds,
    data_source_types: sourceTypes,
    data_source_type: sourceTypes[0] ?? '',
  }
}

/** The graph that a monitor attaches: an image, and where it leads. */
function graphOf(service: string, check: string, id: string) {
  const src = `https://monitoring.sandbox.invalid/graphs/${id}.png`
  return {
    src,
    href: `https://monitoring.sandbox.invalid/${service}/${check}`,
    alt: `${check} of ${service}`,
  }
}

/** The integrations that the alerts came from; an incident that a member reported has none. */
function sourcesOf(seed: number, { index, creator }: Timeline, { alerts }: IncidentState) {
  if (creator !== 0) return []
  const main = hash(seed, index, 251) % SOURCES.length
  const hasTwo = alerts > 4 && hash(seed, index, 252) % 4 === 0
  return hasTwo ? [SOURCES[main]!, SOURCES[(main + 1) % SOURCES.length]!] : [SOURCES[main]!]
}

/** The id of the escalation rule of a channel, by the channel's number from 1. */
function ruleIdOf(seed: number, channel: number): string {
  const spot = channel - 1
  return channel === 0
    ? NO_RULE
    : hex(hash(seed, spot, 250), 8) + hex(hash(seed, spot, 251), 8) + hex(spot, 8)
}
