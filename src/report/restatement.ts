import { type FormatContext, format, localTime } from '../render/format.ts'
import type { Restatement, RunFacts } from '../render/result.ts'
import { objectsOf } from '../warehouse/read/objects-of.ts'
import type { QueryParameters, Session } from '../warehouse/read/reader.ts'
import { frameSql } from './scope/frame-sql.ts'

/**
 * What the last run said otherwise for the same period and scope, from the table `report_runs`, and why. Null when there
 * was none, or every figure holds. See `restated-run.sql` and `restated-why.sql` in `reports/frame/`.
 */
export async function restatementOf(
  session: Session,
  facts: RunFacts,
  bound: QueryParameters,
  context: FormatContext,
): Promise<Restatement | null> {
  const { figures: _, as_of_at, ...scope } = facts
  const last = objectsOf(
    await session.query(frameSql('restated-run'), { ...scope, as_of: new Date(as_of_at) }),
  )
  const [run] = last
  if (!run || !(run.as_of_at instanceof Date)) return null
  const known = new Map(last.map((row) => [String(row.figure), row]))
  const pairs = facts.figures.flatMap((now) => {
    const said = known.get(now.figure)
    return said ? [{ now, before: { value: figureOf(said.value), n: figureOf(said.n) } }] : []
  })
  const changed = pairs.filter(
    ({ now, before }) => !isSame(now.value, before.value) || !isSame(now.n, before.n),
  )
  if (changed.length === 0) return null
  const redefined =
    run.definition === facts.definition
      ? []
      : [{ reason: 'the report, a definition or a setting changed', incidents: 0, examples: [] }]
  const why =
    run.ran_at instanceof Date
      ? objectsOf(
          await session.query(frameSql('restated-why'), {
            ran_at: run.ran_at,
            period_start: bound.period_start!,
            period_end: bound.period_end!,
          }),
        )
      : []
  return {
    asOf: localTime(run.as_of_at, facts.timezone),
    figures: changed.map(({ now, before }) => ({
      label: now.label,
      before: format(before.value, now.format, context),
      now: format(now.value, now.format, context),
      nBefore: before.n,
      nNow: now.n,
    })),
    unchanged: pairs.length - changed.length,
    reasons: [
      ...redefined,
      ...why.map(({ reason, incidents, examples }) => ({
        reason: String(reason),
        incidents: Number(incidents),
        examples: Array.isArray(examples) ? examples.map(String) : [],
      })),
    ],
  }
}

function figureOf(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value)
}

/** Sums of fractions in another order differ in their last digits. */
function isSame(a: number | null, b: number | null): boolean {
  if (a === null || b === null) return a === b
  return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b))
}
