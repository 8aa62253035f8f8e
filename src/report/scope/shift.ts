import type { Session } from '../../warehouse/read/session.ts'
import { frameSql } from './frame-sql.ts'
import { dayMs } from './local-date.ts'

/** Where the data of a handover ends. The next handover shows newer data. */
export interface ShiftEnd {
  readonly asOf: Date
  /** The newest sync run of each account at that time, such as `7=15`. */
  readonly runs: readonly string[]
}

export interface ShiftOptions {
  /** Due time of a scheduled report in Unix ms, from which its period is computed. */
  readonly dueAt?: number | undefined
  readonly shift?: ShiftEnd | null | undefined
  /** Notes on problems before a scheduled handover, such as a failed sync. */
  readonly notes?: readonly string[] | undefined
}

/** If a handover covers more days than this, it shows counts with links instead of a list. */
export const LISTED_DAYS = 7

/** Whether a report covers the time since its last delivery instead of a period. */
export function isHandover({ queries }: { readonly queries: readonly { readonly sql: string }[] }): boolean {
  return queries.some(({ sql }) => /\$shift_start\b|\bshift_incidents\b/.test(sql))
}

/** Returns the parameters `$shift_start` and `$shift_runs`. The first handover covers one day. */
export function shiftBounds(last: ShiftEnd | null, asOf: Date) {
  return {
    shift_start: last?.asOf ?? new Date(asOf.getTime() - dayMs),
    shift_runs: last === null ? null : [...last.runs],
  }
}

export async function readShiftEnd(session: Session, asOf: Date): Promise<ShiftEnd> {
  const { rows } = await session.query(frameSql('newest-runs'))
  return { asOf, runs: rows.map(([account, run]) => `${account}=${run}`) }
}
