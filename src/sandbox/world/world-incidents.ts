import { hash as cryptoHash } from 'node:crypto'
import { stringifyJson } from '../../contract/json.ts'
import type { Clock } from '../clock.ts'
import { firstWhere } from '../store/list-incidents.ts'
import { startTimes } from './arrival-times.ts'
import type { Company, CompanyChannel } from './company.ts'
import { lastClose } from './incident-lifecycles.ts'
import { incidentIdOf, recordOf } from './incident-record.ts'
import { stateAt } from './incident-state.ts'
import type { Timeline } from './timeline.ts'
import { createTimelines } from './timelines.ts'

/** Maximum number of incidents, because an incident's id contains its number in 24 bits. */
const INCIDENTS_MAX = 0xff_ffff

/** Times are Unix seconds. */
export interface WorldOptions {
  seed: number
  /** Number of incidents before `anchor`. Later incidents continue at the same rate. */
  incidents: number
  anchor: number
  /** Share of the incidents that change long after they were closed. */
  late?: number
  /** Name of a scenario in the folder scenarios/. Default: a random company. */
  world?: string | undefined
  accountId?: number | undefined
}

export type WorldIncidents = ReturnType<typeof worldIncidents>

/** Generates incidents when they are requested. Stores only their start times. */
export function worldIncidents(
  { incidents, anchor, late = 0 }: WorldOptions,
  company: Company,
  routingSince: ReadonlyMap<unknown, number>,
  clock: Clock,
) {
  const starts = startsUpTo(startTimes(company.seed, incidents, anchor, company.story?.rate), clock)
  const { own, whole, postMortemGroup } = createTimelines(company, starts.known, late)
  const isClosedForGood = closedForGood(own, clock)
  const state = (index: number) => stateAt(company, whole(index), clock.now())
  const idOf = (index: number) => incidentIdOf(company.seed, own(index))

  /** Returns undefined for a standalone incident, or if the channel accepted no incidents at that time. */
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
    const timeline = whole(index)
    const state = stateAt(company, timeline, clock.now())
    const postMortemId = state.isLinked ? postMortemIdOf(postMortemGroup(index)) : ''
    const made = recordOf({ company, timeline, state, channel: channelOf(timeline), postMortemId })
    return company.story?.retouched ? Object.assign(made, company.story.retouched(made, index)) : made
  }

  return {
    timeline: whole,
    state,
    channelOf,
    postMortemGroup,
    postMortemIdOf,
    count: starts.count,
    startOf: (index: number) => starts.known[index]!,
    idOf,
    isListed(index: number): boolean {
      const { created, purged } = own(index)
      return created <= clock.now() && purged > clock.now()
    },
    isClosedForGood,
    record,
    json: (index: number) => stringifyJson(record(index)),
    find(incidentId: string): number | undefined {
      const index = Number.parseInt(incidentId.slice(8, 14), 16)
      return index < starts.count() && idOf(index) === incidentId.toLowerCase() ? index : undefined
    },
  }
}

/** Caches start times. `count` extends the list `known` up to the clock's time. */
function startsUpTo(coming: Generator<number, never>, clock: Clock) {
  /** This list contains one start more than needed, because an incident can share its post-mortem with the next one. */
  const known = [coming.next().value]
  return {
    known: known as readonly number[],
    count(): number {
      const now = clock.now()
      while (known.at(-1)! <= now && known.length <= INCIDENTS_MAX) known.push(coming.next().value)
      // Some incidents of the list have not started yet if the clock was set back.
      return firstWhere(known.length - 1, (index) => known[index]! > now)
    },
  }
}

/** Returns a test whether an incident is closed forever. Caches the results until the clock is set back. */
function closedForGood(timelineOf: (index: number) => Timeline, clock: Clock) {
  const closed: boolean[] = []
  let asOf = 0
  return (index: number): boolean => {
    const now = clock.now()
    if (now < asOf) closed.length = 0
    asOf = now
    closed[index] ||= lastClose(timelineOf(index)) <= now
    return closed[index]
  }
}
