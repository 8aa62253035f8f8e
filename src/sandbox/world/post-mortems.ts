import type { PostMortem } from '../../contract/post-mortem.ts'
import { hash, hex8, unit } from '../random.ts'
import { CHECKS } from './checks.ts'
import type { Company } from './company.ts'
import { impactOf, titleOf } from './describe.ts'
import { SEVERITIES } from './story.ts'
import { NEVER } from './story-table.ts'
import type { WorldIncidents } from './world-incidents.ts'

const DAY = 86_400

/** Post-mortems by id, found as their incidents are told. */
export interface PostMortems {
  find(id: string): PostMortem | undefined
  ids(most: number): string[]
}

/** Reads post-mortems off the stories: drafted when linked, published (mostly) some days later. */
export function postMortems(
  incidents: WorldIncidents,
  seed: number,
  company: Company,
  now: () => number,
): PostMortems {
  const leads = new Map<string, number>()
  let scanned = 0

  function scan(): void {
    const { table } = incidents
    const told = incidents.count()
    for (; scanned < told; scanned++) {
      // The last story may still gain a companion, until it is linked.
      if (scanned === told - 1 && table.linked[scanned] !== NEVER && table.linked[scanned]! > now()) return
      const isLead = table.linked[scanned] !== NEVER && table.shared[scanned] !== 2
      if (isLead) leads.set(incidents.postMortemIdOf(scanned), scanned)
    }
  }

  function tell(id: string, lead: number): PostMortem {
    const { table } = incidents
    const linked = table.linked[lead]!
    const group = incidents.postMortemGroup(lead)
    const published = linked + Math.ceil((1 + 12 * unit(seed, lead, 350)) * DAY)
    const reopened = published + Math.ceil((2 + 20 * unit(seed, lead, 351)) * DAY)
    const steps = [linked]
    if (unit(seed, lead, 352) < 0.8) steps.push(published)
    // One in ten goes back to drafting for two days.
    if (steps.length === 2 && unit(seed, lead, 353) < 0.1) steps.push(reopened, reopened + 2 * DAY)
    const done = steps.filter((at) => at <= now()).length
    const slot = incidents.slotOf(lead)
    const check = CHECKS[table.check[lead]!]!
    const states = group.map((i) => ({
      ...incidents.stateOf(i),
      responders: [...incidents.stateOf(i).responders],
    }))
    const member = (number: number) => company.members[number - 1]!.member_id
    const starts = group.map((i) => table.start[i]!)
    const responders = states.flatMap((state) => state.responders)
    const worst = Math.min(
      ...states.map((state) => SEVERITIES.indexOf(state.severity as (typeof SEVERITIES)[number])),
    )
    const latest = Math.max(...states.map((state) => state.close))
    return {
      meta: {
        account_id: company.accountId,
        title: `Post-mortem: ${titleOf(table, lead, seed, slot)}`,
        status: done % 2 === 0 ? 'published' : 'drafting',
        post_mortem_id: id,
        template_id: hex8(hash(seed, 1, 354)).repeat(3),
        incident_ids: group.map((i) => incidents.idOf(i)),
        media_count: hash(seed, lead, 355) % 3,
        author_ids: responders.slice(0, 2).map((one) => member(one.member)),
        team_id: slot?.channel.team_id ?? 0,
        channel_id: slot?.channel.channel_id ?? 0,
        is_private: false,
        channel_name: slot?.channel.channel_name ?? '',
        created_at_seconds: linked,
        updated_at_seconds: steps[done - 1] ?? linked,
      },
      basics: {
        incidents_highest_severity: SEVERITIES[worst]!,
        incidents_earliest_start_seconds: Math.min(...starts),
        incidents_latest_close_seconds: latest,
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
      content: { content: richText([impactOf(table, lead, seed, slot), check.cause, check.fix]) },
      follow_ups:
        hash(seed, lead, 356) % 4 === 0 ? '' : `Add an alert before ${check.name} reaches its threshold.`,
    }
  }

  const isVisible = (lead: number) =>
    incidents.table.linked[lead]! <= now() &&
    incidents.postMortemGroup(lead).some((i) => incidents.isListed(i))

  return {
    find(id) {
      scan()
      const lead = leads.get(id)
      return lead === undefined || !isVisible(lead) ? undefined : tell(id, lead)
    },
    ids(most) {
      scan()
      const found: string[] = []
      for (const [id, lead] of leads) {
        if (found.length === most) break
        if (isVisible(lead)) found.push(id)
      }
      return found
    },
  }
}

/** A rich-text document, serialised as editors do: blocks of paragraphs. */
function richText(paragraphs: readonly string[]): string {
  return JSON.stringify({
    type: 'doc',
    content: paragraphs.map((text) => ({ type: 'paragraph', content: [{ type: 'text', text }] })),
  })
}
