import { type Reached, reachedBy } from '../definitions/definition-order.ts'
import { type Library, rulesOf } from '../definitions/rules.ts'
import { usualSeries } from '../render/charts/index.ts'
import type { Methodology, Verdicts } from '../render/result.ts'
import { type Report, textsOf } from '../report/parse/parse.ts'
import { tagsOf } from '../report/parse/template.ts'
import { frameDefinitions } from '../report/scope/frame-definitions.ts'
import type { Policies } from '../report/scope/policies.ts'
import type { Session } from '../warehouse/read/session.ts'
import { parserOn } from '../warehouse/read/session-parser.ts'
import { isCompared, type Verdict } from './change-verdict.ts'

type Rules = Methodology['rules']

/** Order in which terms appear on a page. Unknown terms come just before the last one. */
const order = [
  ...['Incident', 'Merged', 'Team', 'Muted', 'Reopened', '0 s', 'Time to acknowledge', 'Time to resolve'],
  ...['Time to recover', 'Survival', 'Interval of survival', 'Target', 'Severity', 'Median, p90', 'Change'],
  ...['Change in a duration', 'Change in a count', 'Change in a share', 'Color', 'Finding', 'Interval'],
  ...['Expected range', 'Trend', 'Mix', 'Alert', 'Pages', 'Time between', 'Hours'],
]
const LAST = 'As of'

/** Returns the rules behind the report’s queries, and behind computations of the program itself. */
export async function rulesBehind(
  session: Session,
  report: Report,
  policies: Policies,
  verdicts: Verdicts,
): Promise<Rules> {
  const texts = report.queries.map(({ sql }) => sql)
  const rules = await rulesReadBy(session, texts, askedByProgram(report, verdicts), policies)
  // Every query with a statistical test brings the rule about colors. The rule is removed if no figure was compared.
  return judgedIn(verdicts) === 0 ? rules.filter(({ term }) => term !== 'Color') : rules
}

/** Returns rules in page order. @param asked relations and columns in addition to those of the statements */
export async function rulesReadBy(
  session: Session,
  statements: readonly string[],
  asked: readonly Asked[],
  policies: Policies,
): Promise<Rules> {
  const frame = frameDefinitions()
  const library = new Map([...session.definitions, ...frame].map((file) => [file.name, file]))
  const reached = await reachedBy(parserOn(session), statements, library)
  const isOfFrame = new Set(frame.map(({ name }) => name))
  const all = [...asked, ...namedIn(reached, library), ...columnsIn(reached, isOfFrame)]
  const found = all.flatMap(([name, column]) => rulesOf(library, name, column, policies.choices))
  // If a term has several rules, the first one applies. Rules of relations come before rules of columns.
  const rules = new Map<string, string>()
  for (const { term, text } of found) if (!rules.has(term)) rules.set(term, text)
  return [...rules].map(([term, text]) => ({ term, text })).sort((a, b) => placeOf(a.term) - placeOf(b.term))
}

function placeOf(term: string): number {
  if (term === LAST) return order.length + 1
  return order.indexOf(term) === -1 ? order.length : order.indexOf(term)
}

type Asked = readonly [name: string, column: string | null]

function askedByProgram(report: Report, verdicts: Verdicts): Asked[] {
  const measures = new Set(verdicts.rows.map((row) => String(row[2])))
  const hasUsual =
    report.pieces.some((piece) => piece.kind === 'chart' && usualSeries(piece.body) !== null) ||
    textsOf(report)
      .flatMap(tagsOf)
      .some(({ as }) => as.kind === 'usual')
  const names = [
    ...['incident_times', 'is_merged_away', 'as_of'],
    ...(measures.size > 0 ? ['week_of_period'] : []),
    ...(measures.has('duration') ? ['duration_changes', 'quantile_interval'] : []),
    ...(measures.has('count') ? ['count_change'] : []),
    ...(measures.has('share') ? ['share_change', 'wilson_interval'] : []),
    ...(judgedIn(verdicts) > 0 ? ['change_verdict'] : []),
    ...(report.pieces.some(({ kind }) => kind === 'findings') ? ['findings'] : []),
    ...(hasUsual ? ['usual_range'] : []),
  ]
  return [
    ...names.map((name) => [name, null] as const),
    ['incident_times', 'is_muted'],
    ['incident_times', 'incident_severity'],
  ]
}

/** Also includes macros whose rules apply to a DuckDB function that is used. */
function namedIn({ named }: Reached, library: Library): Asked[] {
  const alike = [...library].flatMap(([name, { rules }]) =>
    rules.flatMap(({ of }) => of.filter((one) => named.has(one)).map((one) => [name, one] as const)),
  )
  return [
    ...[...named].map((name) => [name, null] as const),
    ...alike.filter(([name]) => isExpression(name, library)),
  ]
}

function isExpression(name: string, library: Library): boolean {
  return library.get(name)?.kind === 'macro'
}

/** Columns of relations in `reports/frame/` are looked up in every such relation, and in `incident_times`. */
function columnsIn({ columns }: Reached, isOfFrame: ReadonlySet<string>): Asked[] {
  return columns.flatMap(({ relation, column }): Asked[] =>
    isOfFrame.has(relation)
      ? [...isOfFrame, 'incident_times'].map((one) => [one, column] as const)
      : [[relation, column]],
  )
}

/** Returns the number of figures that were compared. */
export function judgedIn({ rows }: Verdicts): number {
  return rows.filter((row) => isCompared({ code: row.at(-1) } as Verdict)).length
}
