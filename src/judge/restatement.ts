import { type FormatContext, format, localTime } from '../render/format.ts'
import type { Restatement, RestatementReason, RunFacts } from '../render/result.ts'
import type { Report } from '../report/parse/parse.ts'
import type { OpenFrame } from '../report/scope/frame.ts'
import { frameSql } from '../report/scope/frame-sql.ts'
import type { Policies } from '../report/scope/policies.ts'
import type { QueryParameters } from '../warehouse/read/bind.ts'
import { objectsOf } from '../warehouse/read/rows-to-objects.ts'
import type { Session } from '../warehouse/read/session.ts'
import { parserOn } from '../warehouse/read/session-parser.ts'
import { basesOf } from './figure-dependencies.ts'
import { type Restated, reasonsOf } from './restatement-reasons.ts'

/**
 * Compares the figures with those of the last run for the same period and scope. Returns null if there was no such run
 * or if all figures are equal. The last argument gives reasons for changes that no incident of the period explains.
 */
export async function restatementOf(
  session: Session,
  report: Report,
  facts: RunFacts,
  { bound, policies }: OpenFrame,
  context: FormatContext,
  { elsewhere, redefined }: Record<'elsewhere' | 'redefined', RestatementReason>,
): Promise<Restatement | null> {
  // Earlier values of labels are not stored, so reports on selected values cannot be compared.
  if (bound.dimensions !== null) return null
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
  const general = run.definition === facts.definition ? [] : [redefined]
  const { ran_at, as_of_at: as_of } = run
  const why = ran_at instanceof Date ? await restatedSince(session, { ran_at, as_of }, bound, policies) : []
  const shown = changed.map(({ now }) => {
    const [query, column] = now.figure.split('.') as [string, string]
    return { query, column }
  })
  const bases = await basesOf(parserOn(session), shown, report.queries)
  const figures = changed.map(({ now, before }, index) => {
    const reasons = [...general, ...reasonsOf(bases[index]!, why)]
    return {
      label: now.label,
      before: format(before.value, now.format, context),
      now: format(now.value, now.format, context),
      nBefore: before.n,
      nNow: now.n,
      reasons: reasons.length > 0 ? reasons : [elsewhere],
    }
  })
  return {
    asOf: localTime(run.as_of_at, facts.timezone),
    figures,
    unchanged: pairs.length - changed.length,
  }
}

async function restatedSince(
  session: Session,
  then: { readonly ran_at: Date; readonly as_of: Date },
  bound: QueryParameters,
  { cohort }: Policies,
): Promise<Restated[]> {
  const { period_start, period_end, timezone, teams, severities } = bound
  const parameters = { ...then, period_start, period_end, timezone, teams, severities, cohort }
  const rows = objectsOf(await session.query(frameSql('restated-why'), parameters as QueryParameters))
  const text = (value: unknown) => (typeof value === 'string' ? value : null)
  const texts = (value: unknown) => (Array.isArray(value) ? value.map(String) : [])
  return rows.map((row) => ({
    reason: String(row.reason),
    facts: texts(row.facts),
    severityBefore: text(row.severity_before),
    severity: text(row.severity),
    incidents: Number(row.incidents),
    examples: texts(row.examples),
  }))
}

function figureOf(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value)
}

/** Allows for a tiny difference, because floating-point sums depend on the order of addition. */
function isSame(a: number | null, b: number | null): boolean {
  if (a === null || b === null) return a === b
  return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b))
}
