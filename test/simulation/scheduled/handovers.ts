import type { Handover, Happened } from './delivered.ts'

const DAY = 86_400

/**
 * Delivered handovers together contain every incident exactly once. The first handover covers 24 hours. The last one
 * has what the service listed before its data was read.
 * @returns violations of this promise
 */
export function judgeHandovers(incidents: readonly Happened[], handovers: readonly Handover[]): string[] {
  const [first] = handovers
  if (!first) return ['no handover was delivered']
  const end = Math.max(...handovers.map(({ asOf }) => asOf))
  const counts = new Map<string, number>()
  for (const id of handovers.flatMap((one) => one.incidents)) counts.set(id, (counts.get(id) ?? 0) + 1)
  return incidents.flatMap(({ id, startedAt, listedAt }) => {
    const count = counts.get(id) ?? 0
    const isExpected = listedAt < end && (listedAt > first.asOf || startedAt > first.asOf - DAY)
    const text = `incident ${id}, begun ${timeOf(startedAt)} and listed ${timeOf(listedAt)},`
    if (count > 1) return [`${text} is in ${count} handovers`]
    return isExpected && count === 0 ? [`${text} is in no handover`] : []
  })
}

const timeOf = (seconds: number) => new Date(seconds * 1_000).toISOString().slice(0, 16)
