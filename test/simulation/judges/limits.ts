import type { Judge } from '../judge.ts'

/** Permitted requests of a process: a fifth of the service's limits, as configured in `machine.ts`. */
const [A_SECOND, A_MINUTE] = [10, 200]

export function limits(): Judge {
  return {
    name: 'limits',
    promise: 'no second and no minute has more requests than its limit',
    look: async ({ most: { inASecond, inAMinute } }) => [
      ...(inASecond > A_SECOND
        ? [`${inASecond} requests came in a second, and ${A_SECOND} are allowed`]
        : []),
      ...(inAMinute > A_MINUTE
        ? [`${inAMinute} requests came in a minute, and ${A_MINUTE} are allowed`]
        : []),
    ],
  }
}
