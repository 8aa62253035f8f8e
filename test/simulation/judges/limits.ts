import type { Judge } from '../judge.ts'

/** A fifth of what the service allows in a second: the share that `machine.ts` gives a process. */
const LIMIT = 10

/** A process of its own keeps its share of the limits. */
export function limits(): Judge {
  return {
    name: 'limits',
    promise: 'no second has more requests than its limit',
    look: async ({ mostInASecond }) =>
      mostInASecond <= LIMIT ? [] : [`${mostInASecond} requests came in a second, ${LIMIT} at most were to`],
  }
}
