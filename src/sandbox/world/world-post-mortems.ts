import { SEVERITIES } from '../../contract/incident.ts'
import type { PostMortem } from '../../contract/post-mortem.ts'
import { hash, hex, unit } from '../random.ts'
import { CHECKS } from './checks.ts'
import type { Company } from './company.ts'
import { impactOf, titleOf } from './generated-text.ts'
import type { WorldIncidents } from './world-incidents.ts'

const DAY = 86_400

/** Generates post-mortems. Each begins as a draft, and most are published some days later. */
export function postMortems(incidents: WorldIncidents, company: Company, now: () => number) {
  const known = new Map<string, readonly number[]>()
  let scanned = 0

  /** Groups incident numbers by the id of their post-mortem. Scans every incident only once. */
  function groups(): ReadonlyMap<string, readonly number[]> {
    for (const count = incidents.count(); scanned < count; scanned++) {
      const group = incidents.postMortemGroup(scanned)
      if (group[0] === scanned) known.set(incidents.postMortemIdOf(group), group)
    }
    return known
  }

  const isVisible = (group: readonly number[]) =>
    incidents.timeline(group[0]!).linked <= now() && group.some((index) => incidents.isListed(index))

  return {
    find(id: string): PostMortem | undefined {
      const group = groups().get(id)
      return group && isVisible(group) ? postMortemOf(incidents, company, now(), id, group) : undefined
    },
    /** Returns the ids of post-mortems, those of the oldest incidents first. */
    ids(most: number): string[] {
      const visible = [...groups()].filter(([, group]) => isVisible(group))
      return visible.slice(0, most).map(([id]) => id)
    },
  }
}

function postMortemOf(
  incidents: WorldIncidents,
  company: Company,
  now: number,
  id: string,
  group: readonly number[],
): PostMortem {
  const { seed } = company
  const timelines = group.map((index) => incidents.timeline(index))
  const states = group.map((index) => incidents.state(index))
  const lead = timelines[0]!
  const [status, updated] = publication(seed, lead.index, lead.linked, now)
  const channel = incidents.channelOf(lead)
  const check = CHECKS[lead.check]!
  const member = (number: number) => company.members[number - 1]!.member_id
  const starts = timelines.map(({ start }) => start)
  const responders = states.flatMap(({ assignment }) => assignment.responders)
  const worst = Math.min(...states.map((state) => SEVERITIES.indexOf(state.severity)))
  return {
    meta: {
      account_id: company.accountId,
      title: `Post-mortem: ${titleOf(company, lead, channel)}`,
      status,
      post_mortem_id: id,
      template_id: hex(hash(seed, 1, 354), 8).repeat(3),
      incident_ids: group.map((index) => incidents.idOf(index)),
      media_count: hash(seed, lead.index, 355) % 3,
      author_ids: responders.slice(0, 2).map((one) => member(one.member)),
      team_id: channel?.channel.team_id ?? 0,
      channel_id: channel?.channel.channel_id ?? 0,
      is_private: false,
      channel_name: channel?.channel.channel_name ?? '',
      created_at_seconds: lead.linked,
      updated_at_seconds: updated,
    },
    basics: {
      incidents_highest_severity: SEVERITIES[worst]!,
      incidents_earliest_start_seconds: Math.min(...starts),
      incidents_latest_close_seconds: Math.max(...states.map((state) => state.close)),
      incidents_total_duration_seconds: states.reduce(
        (sum, state, k) => sum + Math.max(0, state.close - starts[k]!),
        0,
      ),
      responders: responders.map((one) => ({
        person_id: member(one.member),
        assigned_at: one.assignedAt,
        acknowledged_at: one.acknowledgedAt,
      })),
    },
    content: { content: richText([impactOf(seed, lead, channel), check.cause, check.fix]) },
    follow_ups:
      hash(seed, lead.index, 356) % 4 === 0 ? '' : `Add an alert before ${check.name} reaches its threshold.`,
  }
}

/** Returns the status at `now` and its begin. One report in ten becomes a draft again for two days. */
function publication(seed: number, lead: number, linked: number, now: number) {
  const published = linked + Math.ceil((1 + 12 * unit(seed, lead, 350)) * DAY)
  const reopened = published + Math.ceil((2 + 20 * unit(seed, lead, 351)) * DAY)
  const steps = [linked]
  if (unit(seed, lead, 352) < 0.8) steps.push(published)
  if (steps.length === 2 && unit(seed, lead, 353) < 0.1) steps.push(reopened, reopened + 2 * DAY)
  const done = steps.filter((at) => at <= now).length
  return [done % 2 === 0 ? 'published' : 'drafting', steps[done - 1] ?? linked] as const
}

function richText(paragraphs: readonly string[]): string {
  return JSON.stringify({
    type: 'doc',
    content: paragraphs.map((text) => ({ type: 'paragraph', content: [{ type: 'text', text }] })),
  })
}
