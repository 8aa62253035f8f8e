import { isUndisturbed, type Judge, type Ran } from '../judge.ts'

/** The number of syncs that may still fail after the service has recovered. */
const STILL_RED = 2

export function recovers(): Judge {
  return {
    name: 'recovers',
    promise: 'nights are green again by themselves once the service is well',
    async look({ history }) {
      const well = history.slice(-1 - STILL_RED)
      if (well.length <= STILL_RED || well.some((ran) => !isWell(ran) || ran.status === 'ok')) return []
      const { status, words } = well.at(-1)!
      return [
        `${well.length} syncs of a service that is well, and still ${status}: ${words.map(({ message }) => message).join('; ')}`,
      ]
    },
  }
}

/** Whether nothing disturbed the sync. Records that the service refuses permanently do not count as a disturbance. */
const isWell = (ran: Ran) =>
  isUndisturbed(ran) && Object.keys(ran.plan.odd ?? {}).length === 0 && !ran.plan.isHeldOpen
