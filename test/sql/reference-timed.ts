/**
 * A time of an incident, before invalid times are excluded. Undefined if the time is unknown or the event has not
 * happened.
 */
export interface Timed {
  severity: string
  team: string
  seconds: number | undefined
}

export const good = (rows: readonly Timed[]) =>
  rows
    .flatMap(({ seconds }) => (seconds !== undefined && seconds >= 0 ? [seconds] : []))
    .sort((a, b) => a - b)
export const bad = (rows: readonly Timed[]) => rows.filter(({ seconds }) => (seconds ?? 0) < 0).length
export const gap = (from: number | undefined, to: number | undefined) =>
  from === undefined || to === undefined ? undefined : to - from
