import { hash as cryptoHash } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { asText, type JsonWriter } from '../json-writer.ts'
import { hash, hex4, hex6, hex8 } from '../random.ts'
import type { IncidentRow, IncidentSet } from '../store/incident-set.ts'
import type { ChannelSlot, Company } from './company.ts'
import { phraseOf, placeOf, titleOf } from './describe.ts'
import { isRare } from './incident-json.ts'
import { blankState, type IncidentState, stateAt } from './incident-state.ts'
import { tellLateChange } from './late-change.ts'
import { startTimes } from './rhythm.ts'
import { tellStory } from './story.ts'
import { grow, NEVER, type StoryTable, storyTable } from './story-table.ts'
import { incidentTeller } from './tell-incident.ts'

/** Ids hold the number of their story in 24 bits. */
export const STORIES_MAX = 0xff_ffff

/** How a world is asked for. Times are Unix seconds. */
export interface WorldOptions {
  seed: number
  incidents: number
  anchor: number
  /** Share of the incidents that change long after they were closed. Default 0. */
  late?: number
  /** The account it belongs to; another one has the same other ids. */
  accountId?: number | undefined
}

/** The incidents of the seeded world, with what other records need of their stories. */
export interface WorldIncidents extends IncidentSet {
  readonly table: StoryTable
  slotOf(index: number): ChannelSlot | undefined
  /** Valid until the next call. */
  stateOf(index: number): IncidentState
  /** Empty when no post-mortem is planned for it. */
  postMortemIdOf(index: number): string
  /** Incidents that share the post-mortem of this one, itself included. */
  postMortemGroup(index: number): number[]
}

/** Tells the stories up to the clock, and more whenever it has moved. */
export function worldIncidents(
  { seed, incidents, anchor, late = 0 }: WorldOptions,
  company: Company,
  routingSince: ReadonlyMap<unknown, number>,
  clock: Clock,
): WorldIncidents {
  const table = storyTable(Math.ceil(incidents * 1.05) + 1_024)
  const starts = startTimes(seed, incidents, anchor)
  const tell = incidentTeller(table, seed, company)
  const state = blankState()
  let told = 0
  let ahead = starts.next().value

  /** Stories below this index have begun. */
  function count(): number {
    const now = clock.now()
    while (ahead <= now && told < STORIES_MAX) {
      if (told === table.capacity) grow(table)
      tellStory(table, told, ahead, seed, company)
      tellLateChange(table, told, seed, late)
      shareReport(told)
      told++
      ahead = starts.next().value
    }
    if (told === 0 || table.start[told - 1]! <= now) return told
    return firstAfter(now)
  }

  /** The clock may have been set back: fewer have begun than were told. */
  function firstAfter(now: number): number {
    let low = 0
    let high = told
    while (low < high) {
      const middle = (low + high) >>> 1
      if (table.start[middle]! <= now) low = middle + 1
      else high = middle
    }
    return low
  }

  /** An incident right after one with a post-mortem, in the same channel, may share it. */
  function shareReport(i: number): void {
    if (i === 0 || table.linked[i - 1] === NEVER || table.shared[i - 1] !== 0 || table.linked[i] !== NEVER)
      return
    if (table.channel[i] !== table.channel[i - 1] || table.ack[i] === NEVER || table.close[i] === NEVER)
      return
    // Only while the first one is not linked yet: nothing that could be seen before may change.
    if (table.start[i]! >= table.linked[i - 1]!) return
    const at = Math.max(table.linked[i - 1]!, table.close[i]! + 3_600)
    if (table.reopen[i] !== NEVER || at === NEVER) return
    table.linked[i] = table.linked[i - 1] = at
    table.shared[i - 1] = 1
    table.shared[i] = 2
  }

  function idOf(i: number): string {
    return hex8(table.start[i]!) + hex6(i) + hex4(hash(seed, i, 280)) + hex6(hash(seed, i, 281))
  }

  function slotOf(i: number): ChannelSlot | undefined {
    const number = table.channel[i]!
    if (number === 0) return undefined
    const slot = company.channelSlots[number - 1]!
    const start = table.start[i]!
    if (start < slot.offFrom || start >= (routingSince.get(slot.channel.channel_id) ?? Infinity)) return slot
    return undefined
  }

  function stateOf(i: number): IncidentState {
    stateAt(table, i, clock.now(), seed, company, state)
    return state
  }

  function postMortemGroup(i: number): number[] {
    if (table.linked[i] === NEVER) return []
    return table.shared[i] === 1 ? [i, i + 1] : table.shared[i] === 2 ? [i - 1, i] : [i]
  }

  function postMortemIdOf(i: number): string {
    const group = postMortemGroup(i)
    if (group.length === 0) return ''
    return cryptoHash('md5', `${company.accountId}:${group.map(idOf).join(',')}`)
  }

  function writeJson(i: number, out: JsonWriter): void {
    const at = stateOf(i)
    tell(i, at, slotOf(i), at.isLinked ? postMortemIdOf(i) : '', out)
  }

  return {
    table,
    slotOf,
    stateOf,
    postMortemGroup,
    postMortemIdOf,
    count,
    idOf,
    startOf: (i) => table.start[i]!,
    isListed: (i) => table.created[i]! <= clock.now() && table.purged[i]! > clock.now(),
    row(i): IncidentRow {
      const at = stateOf(i)
      const ids = company.members
      const idOfMember = (number: number) => (number === 0 ? 0 : ids[number - 1]!.member_id)
      return {
        channelId: slotOf(i)?.channel.channel_id ?? 0,
        progress: at.progress,
        severity: at.severity,
        num: hex6(hash(seed, i, 281)).toUpperCase(),
        snoozedBefore: at.snoozedBefore,
        everMuted: table.muted[i] === 1,
        isRare: isRare(seed, i),
        creatorId: idOfMember(table.creator[i]!),
        closerId: idOfMember(at.closer),
        responders: at.responders.map((one) => ({
          personId: idOfMember(one.member),
          acknowledgedAt: one.acknowledgedAt,
        })),
      }
    },
    textOf(i) {
      const slot = slotOf(i)
      const { description, labels } = phraseOf(table, i, seed, placeOf(table, i, seed, slot))
      return [titleOf(table, i, seed, slot), description, ...(labels ?? [])].join('\n')
    },
    writeJson,
    json: (i) => asText((out) => writeJson(i, out)),
    find(incidentId) {
      const index = Number.parseInt(incidentId.slice(8, 14), 16)
      return index < count() && idOf(index) === incidentId.toLowerCase() ? index : undefined
    },
  }
}
