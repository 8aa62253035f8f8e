import { format, localTime, plain } from '../../render/format.ts'
import type { Frame } from '../../render/result.ts'
import type { Session } from '../../warehouse/read/session.ts'
import { frameSql } from './frame-sql.ts'
import { dayMs } from './local-date.ts'

/** Where the data of a handover ended: nothing that it could show belongs to a later one. */
export interface ShiftEnd {
  /** The service's data was read up to this moment. */
  readonly asOf: Date
  /** The newest run of each account by then, `7=15`. */
  readonly runs: readonly string[]
}

/** What the caller of a run says about a handover. */
export interface ShiftOptions {
  /** The due time of a scheduled report, Unix ms: its period follows from it. */
  readonly dueAt?: number | undefined
  /** Where the data of the last delivered handover ended; null or left out before the first. */
  readonly shift?: ShiftEnd | null | undefined
  /** What happened before a scheduled handover, such as a sync that failed. */
  readonly notes?: readonly string[] | undefined
}

/** Of a longer window the report on the handover has counts, which open their incidents, and no list. */
const LISTED_DAYS = 7

/** Whether a report is about the time since it was last delivered, and not about a period. */
export function isHandover({ queries }: { readonly queries: readonly { readonly sql: string }[] }): boolean {
  return queries.some(({ sql }) => /\$shift_start\b|\bshift_incidents\b/.test(sql))
}

/** What a scheduled handover says about its window. */
export function shiftWarnings(
  report: Parameters<typeof isHandover>[0],
  { shift, dueAt, notes = [] }: ShiftOptions,
  { asOfInstant, timezone }: Pick<Frame, 'asOfInstant' | 'timezone'>,
): readonly string[] {
  if (dueAt === undefined || !isHandover(report)) return []
  if (!shift) return [...notes, 'No handover was delivered before: this one covers the last 24 hours.']
  const days = (asOfInstant.getTime() - shift.asOf.getTime()) / dayMs
  if (days > LISTED_DAYS)
    return [
      ...notes,
      `The last handover was delivered more than ${LISTED_DAYS} days ago: incidents since then are counted, not listed.`,
    ]
  if (days > 0) return notes
  const time = plain(format(localTime(shift.asOf, timezone), 'time', { timezone: 'UTC', year: '' }))
  return [...notes, `No new data since ${time}.`]
}

/** Values of `$shift_start` and `$shift_runs`. The first handover covers a day. */
export function shiftBounds(last: ShiftEnd | null, asOf: Date) {
  return {
    shift_start: last?.asOf ?? new Date(asOf.getTime() - dayMs),
    shift_runs: last === null ? null : [...last.runs],
  }
}

/** Returns where the data of the session ends. */
export async function readShiftEnd(session: Session, asOf: Date): Promise<ShiftEnd> {
  const { rows } = await session.query(frameSql('newest-runs'))
  return { asOf, runs: rows.map(([account, run]) => `${account}=${run}`) }
}
