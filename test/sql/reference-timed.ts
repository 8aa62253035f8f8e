/** A time of an incident before bad ones are left out; undefined has not happened, or nobody knows when. */
export interface Timed {
  severity: string
  team: string
  seconds: number | undefined
}

/** Times that count, shortest first. */
export const good = (rows: readonly Timed[]) =>
  rows
    .flatMap(({ seconds }) => (seconds !== undefined && seconds >= 0 ? [seconds] : []))
    .sort((a, b) => a - b)
/** How many lie before what they are counted from. */
export const bad = (rows: readonly Timed[]) => rows.filter(({ seconds }) => (seconds ?? 0) < 0).length
/** From one moment to another, seconds. */
export const gap = (from: number | undefined, to: number | undefined) =>
  from === undefined || to === undefined ? undefined : to - from
