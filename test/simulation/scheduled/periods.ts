import type { Delivered, Due } from './delivered.ts'

/**
 * Each period of each schedule has exactly one complete delivered page, and at most one earlier incomplete one.
 * @param dues those for which a sync succeeded later, so that their pages must be complete
 * @returns violations of this promise
 */
export function judgePeriods(dues: readonly Due[], delivered: readonly Delivered[]): string[] {
  const known = new Set(dues.map(nameOf))
  const missing = [...known].filter((name) => !delivered.some((one) => nameOf(one) === name))
  const names = [...new Set(delivered.map(nameOf))]
  return [
    ...missing.map((name) => `${name} was never delivered`),
    ...names.flatMap((name) => {
      const all = delivered.filter((one) => nameOf(one) === name)
      const complete = all.filter(({ isComplete }) => isComplete)
      const partly = all.filter(({ isComplete }) => !isComplete)
      const last = Math.max(...complete.map(({ at }) => at))
      return [
        ...(complete.length > 1 ? [`${name} was delivered complete ${complete.length} times`] : []),
        ...(complete.length === 0 && known.has(name) ? [`${name} was never delivered complete`] : []),
        ...(partly.length > 1 ? [`${name} was delivered incomplete ${partly.length} times`] : []),
        ...(complete.length > 0 && partly.some(({ at }) => at >= last)
          ? [`${name} was delivered incomplete after it was complete`]
          : []),
        ...(all.every(({ hasPage }) => hasPage) ? [] : [`${name} has no page where its message says`]),
      ]
    }),
  ]
}

const nameOf = ({ report, period }: Due) => `${report} of ${period}`
