import type { Company } from './company.ts'
import { lastClose, NEVER } from './incident-lifecycles.ts'
import { type Timeline, timelineOf } from './timeline.ts'

/**
 * Maximum number of cached timelines (about 0.5 KB each). They are cached because every page of a list reads all
 * timelines in its window.
 */
const REMEMBERED_MAX = 65_536

/** Generates and caches timelines. `starts` always has one more start time than incidents. */
export function createTimelines(company: Company, starts: readonly number[], late: number) {
  const remembered = new Map<number, Timeline>()

  /** Returns a timeline without a post-mortem that two neighboring incidents share. */
  function own(index: number): Timeline {
    const known = remembered.get(index)
    if (known !== undefined) return known
    if (remembered.size === REMEMBERED_MAX) remembered.clear()
    const timeline = timelineOf(company, index, starts[index]!, late)
    remembered.set(index, timeline)
    return timeline
  }

  /** Whether two neighboring incidents share a post-mortem. Both are then in the same channel. */
  function sharesWithPrevious(index: number): boolean {
    if (index === 0 || index >= starts.length) return false
    const previous = own(index - 1)
    if (previous.linked === NEVER || starts[index]! >= previous.linked) return false
    const { channel, acked, closed, reopened, linked } = own(index)
    const isUnlinked = linked === NEVER && reopened === NEVER
    return channel === previous.channel && isUnlinked && acked !== NEVER && closed !== NEVER
  }

  /** Returns the numbers of all incidents with the same post-mortem, or an empty list without a post-mortem. */
  function postMortemGroup(index: number): number[] {
    if (sharesWithPrevious(index)) return [index - 1, index]
    if (own(index).linked === NEVER) return []
    return sharesWithPrevious(index + 1) ? [index, index + 1] : [index]
  }

  return {
    own,
    postMortemGroup,
    /** Returns a timeline that includes a post-mortem that two neighboring incidents share. */
    whole(index: number): Timeline {
      const timeline = own(index)
      const [lead, companion] = postMortemGroup(index)
      if (lead === undefined || companion === undefined) return timeline
      const linked = Math.max(own(lead).linked, lastClose(own(companion)) + 3_600)
      return Object.assign({}, timeline, { linked })
    },
  }
}
