import { ConfigError } from '../../errors.ts'
import { parseCron } from '../../schedule/cron.ts'

const day = 86_400_000

/**
 * When the shift began that a report made at `asOf` (Unix ms) speaks of: at the due time of the report's schedule before, or at
 * the one before that while less than half of the time to the next one is over, so that a page made shortly after eight is that
 * of the whole last shift. A day before where there is no schedule.
 */
export function shiftStart(schedule: string | undefined, timezone: string, asOf: number): number {
  const next = schedule === undefined ? () => null : nextOf(schedule, timezone)
  const coming = next(asOf)
  const later = coming === null ? null : next(coming)
  if (coming === null || later === null) return asOf - day
  const due: number[] = []
  let at: number | null = asOf - Math.max(4 * day, 3 * (later - coming))
  while (at !== null && at < asOf) {
    at = next(at)
    if (at !== null && at <= asOf) due.push(at)
  }
  const [before, last] = due.slice(-2)
  if (before === undefined || last === undefined) return asOf - day
  return 2 * (asOf - last) >= coming - last ? last : before
}

function nextOf(schedule: string, timezone: string): (after: number) => number | null {
  try {
    return parseCron(schedule, timezone, 'schedule').next
  } catch (error) {
    // One that cannot be read is told where the report is scheduled.
    if (error instanceof ConfigError) return () => null
    throw error
  }
}
