import type { Company } from './company.ts'
import { lastClose, NEVER } from './incident-lifecycles.ts'
import { type Timeline, timelineOf } from './timeline.ts'

/** Maximum number of cached timelines, about 0.5 KB each. Pages of a list read the timelines of its window repeatedly. */
const REMEMBERED_MAX = 65_536

interface Timelines {
  /** Returns a timeline without the effect of a post-mortem that is shared with a neighbor. */
  own(index: number): Timeline
  whole(index: number): Timeline
  /** Numbers of the incidents that share the post-mortem of this one, including itself. Empty if no post-mortem is planned. */
  postMortemGroup(index: number): number[]
}

/** @param starts ascending start times, always one more than the requested incidents. More can be added later */
export function createTimelines(company: Company, starts: readonly number[], late: number): Timelines {
  const remembered = new Map<number, Timeline>()

  function own(index: number): Timeline {
    const known = remembered.get(index)
    if (known !== undefined) return known
    if (remembered.size === REMEMBERED_MAX) remembered.clear()
    const timeline = timelineOf(company, index, starts[index]!, late)
    remembered.set(index, timeline)
    return timeline
  }

  /**
   * Whether an incident shares the previous one's post-mortem: it is in the same channel, and started before that post-mortem
   * was linked.
   */
  function sharesWithPrevious(index: number): boolean {
    if (index === 0 || index >= starts.length) return false
    const previous = own(index - 1)
    if (previous.linked === NEVER || starts[index]! >= previous.linked) return false
    const { channel, acked, closed, reopened, linked } = own(index)
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
    if (own(index).linked === NEVER) return []
    return sharesWithPrevious(index + 1) ? [index, index + 1] : [index]
  }

  return {
    own,
    postMortemGroup,
    whole(index) {
      const timeline = own(index)
      const [lead, companion] = postMortemGroup(index)
      if (lead === undefined || companion === undefined) return timeline
      const linked = Math.max(own(lead).linked, lastClose(own(companion)) + 3_600)
      return Object.assign({}, timeline, { linked })
    },
  }
}
