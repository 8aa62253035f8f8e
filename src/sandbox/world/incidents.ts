import { hash as cryptoHash } from 'node:crypto'
import { stringifyJson } from '../../contract/json.ts'
import type { Clock } from '../clock.ts'
import { firstWhere } from '../store/list-incidents.ts'
import type { Incidents } from '../store/world.ts'
import type { Company, CompanyChannel } from './company.ts'
import { lastClose, NEVER } from './courses.ts'
import { incidentIdOf, recordOf } from './incident-record.ts'
import { type IncidentState, stateAt } from './incident-state.ts'
import { startTimes } from './rhythm.ts'
import { type Timeline, timelineOf } from './timeline.ts'

/** Ids hold the number of their incident in 24 bits. */
const INCIDENTS_MAX = 0xff_ffff
/** So many timelines are remembered, about 0.5 KB each, since a list looks again and again at those of its window. */
const REMEMBERED_MAX = 65_536

/** How a world is asked for. Times are Unix seconds. */
export interface WorldOptions {
  seed: number
  /** How many start before `anchor`. */
  incidents: number
  anchor: number
  /** Share of the incidents that change long after they were closed. Default 0. */
  late?: number
  /** Whether facts are planted in it that reports should find, see story.ts. Default false. */
  story?: boolean | undefined
  /** The account it belongs to; another one has the same other ids. */
  accountId?: number | undefined
}

/** The incidents of the seeded world, with what alerts and post-mortems need of them. */
export interface WorldIncidents extends Incidents {
  timeline(index: number): Timeline
  state(index: number): IncidentState
  /** Undefined for a standalone incident, and where the channel took in nothing at its start. */
  channelOf(timeline: Timeline): CompanyChannel | undefined
  /** Numbers of the incidents that share the post-mortem of this one, itself included; empty when none is planned. */
  postMortemGroup(index: number): number[]
  postMortemIdOf(group: readonly number[]): string
}

/**
 * Incidents as a pure function of the company (with its seed), their number and the clock. Only start times are kept:
 * each follows from the one before.
 * @param routingSince when a channel was enabled again, by channel id
 */
export function worldIncidents(
  { incidents, anchor, late = 0 }: WorldOptions,
  company: Company,
  routingSince: ReadonlyMap<unknown, number>,
  clock: Clock,
): WorldIncidents {
  const { seed } = company
  const comingStarts = startTimes(seed, incidents, anchor, company.story?.nights)
  /** Always one more than have started, since an incident's post-mortem may be shared with the next one. */
  const starts = [comingStarts.next().value]
  const remembered = new Map<number, Timeline>()
  /** Those that were found closed for good, at a time that the clock has not gone back behind. */
  const closedForGood: boolean[] = []
  let closedAsOf = 0

  function count(): number {
    const now = clock.now()
    while (starts.at(-1)! <= now && starts.length <= INCIDENTS_MAX) starts.push(comingStarts.next().value)
    // The clock may have been set back: fewer have started than are known.
    return firstWhere(starts.length - 1, (index) => starts[index]! > now)
  }

  /** The timeline without what the post-mortem of a neighbour changes in it. */
  function ownTimeline(index: number): Timeline {
    const known = remembered.get(index)
    if (known !== undefined) return known
    if (remembered.size === REMEMBERED_MAX) remembered.clear()
    const timeline = timelineOf(company, index, starts[index]!, late)
    remembered.set(index, timeline)
    return timeline
  }

  /** Whether an incident shares the post-mortem of the one before it: in the same channel, before that one is linked. */
  function sharesWithPrevious(index: number): boolean {
    if (index === 0 || index >= starts.length) return false
    const previous = ownTimeline(index - 1)
    if (previous.linked === NEVER || starts[index]! >= previous.linked) return false
    const { channel, acked, closed, reopened, linked } = ownTimeline(index)
    return (
      channel === previous.channel &&
      linked === NEVER &&
      acked !== NEVER &&
      closed !== NEVER &&
      reopened === NEVER
    )
  }

  function postMortemGroup(index: number): number[] {
    if (sharesWithPrevious(index)) return [index - 1, index]
    if (ownTimeline(index).linked === NEVER) return []
    return sharesWithPrevious(index + 1) ? [index, index + 1] : [index]
  }

  function timeline(index: number): Timeline {
    const own = ownTimeline(index)
    const [lead, companion] = postMortemGroup(index)
    if (lead === undefined || companion === undefined) return own
    const linked = Math.max(ownTimeline(lead).linked, lastClose(ownTimeline(companion)) + 3_600)
    return Object.assign({}, own, { linked })
  }

  const state = (index: number) => stateAt(company, timeline(index), clock.now())
  const idOf = (index: number) => incidentIdOf(seed, ownTimeline(index))

  function channelOf({ channel: number, start }: Timeline): CompanyChannel | undefined {
    const channel = company.channels[number - 1]
    if (channel === undefined) return undefined
    const isOff =
      start >= channel.offFrom && start < (routingSince.get(channel.channel.channel_id) ?? Infinity)
    return isOff ? undefined : channel
  }

  function postMortemIdOf(group: readonly number[]): string {
    return cryptoHash('md5', `${company.accountId}:${group.map(idOf).join(',')}`)
  }

  function record(index: number) {
    const life = timeline(index)
    const at = stateAt(company, life, clock.now())
    const postMortemId = at.isLinked ? postMortemIdOf(postMortemGroup(index)) : ''
    return recordOf(company, life, at, channelOf(life), postMortemId)
  }

  return {
    timeline,
    state,
    channelOf,
    postMortemGroup,
    postMortemIdOf,
    count,
    startOf: (index) => starts[index]!,
    idOf,
    isListed(index) {
      const { created, purged } = ownTimeline(index)
      return created <= clock.now() && purged > clock.now()
    },
    isClosedForGood(index) {
      const now = clock.now()
      if (now < closedAsOf) closedForGood.length = 0
      closedAsOf = now
      closedForGood[index] ||= lastClose(ownTimeline(index)) <= now
      return closedForGood[index]
    },
    record,
    json: (index) => stringifyJson(record(index)),
    find(incidentId) {
      const index = Number.parseInt(incidentId.slice(8, 14), 16)
      return index < count() && idOf(index) === incidentId.toLowerCase() ? index : undefined
    },
  }
}
