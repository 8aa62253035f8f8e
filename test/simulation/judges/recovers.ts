import type { Judge, Ran } from '../judge.ts'

/** So many syncs of a service that is well again may still be red. */
const STILL_RED = 2

/** When the service is well again, so are the nights, without a person. */
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

const isWell = ({ plan }: Ran) =>
  Object.keys(plan.faults).length === 0 &&
  !plan.isPoorKey &&
  plan.room === undefined &&
  plan.stopAt === undefined &&
  plan.kill === undefined
