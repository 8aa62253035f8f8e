import { ReportError } from '../errors.ts'
import type { QueryColumn } from '../render/result.ts'
import type { Session } from '../warehouse/read/session.ts'
import type { Shapes } from './check-blocks.ts'
import {
  figureOfSample,
  isWellMade,
  type Measure,
  makerOf,
  measureOf,
  type SampleKind,
  sampleKind,
  sampleOf,
} from './figure-sample.ts'
import type { Query, Report } from './parse/parse.ts'
import type { Place, Tell } from './parse/report-errors.ts'
import { namesRead } from './referenced-names.ts'

/** A sample is the data from which changes in a figure are tested. Checks its type, and that it has a figure. */
export async function checkSamples(
  session: Session,
  report: Report,
  shapes: Shapes,
  tell: Tell,
): Promise<void> {
  const wrong = report.queries.flatMap((query) => mistakesIn(query, shapes.get(query.name) ?? []))
  if (wrong.length === 0) return
  const texts = report.queries.map(({ sql }) => sql)
  const readByOthers = await namesRead(session, texts)
  for (const { query, isMade, mistake } of wrong) if (!(isMade && readByOthers.has(query.name))) tell(mistake)
}

function mistakesIn(query: Query, columns: readonly QueryColumn[]) {
  return columns.flatMap((column) => {
    const kind = sampleKind(column)
    const [message, next] = (kind && mistakeOf(column, kind, columns, query.name)) ?? []
    if (message === undefined) return []
    // If a macro made the sample, its figure can be in another query.
    const isMade = isWellMade(column)
    return [{ query, isMade, mistake: new ReportError(message, placeOf(column, query), { next }) }]
  })
}

const behind: Record<Measure, { is: string; fits: readonly SampleKind[] }> = {
  duration: { is: 'a duration', fits: ['times_of', 'earlier_times_of', 'interval_of'] },
  share: { is: 'a share', fits: ['share_weeks_of', 'earlier_share_weeks_of', 'interval_of'] },
  count: { is: 'a count', fits: ['weeks_of', 'earlier_weeks_of', 'interval_of'] },
}

/** Returns null if the sample is correct. */
function mistakeOf(
  column: QueryColumn,
  kind: SampleKind,
  columns: readonly QueryColumn[],
  query: string,
): [message: string, next: string] | null {
  const { name } = column
  const figure = figureOfSample(column)
  const made = `${makerOf(kind)}(…)`
  if (!isWellMade(column))
    return [
      `The column "${name}" of the query "${query}" has a field ${kind} that was not created by ${made}.`,
      `Use ${made}. If this is a struct of your own, rename the field.`,
    ]
  if (!columns.some((one) => one.name === figure && sampleKind(one) === null))
    return [
      `The column "${name}" of the query "${query}" is a result of ${made}, but belongs to no figure.`,
      `Name it after its figure, such as tta_sample for tta.`,
    ]
  const first = sampleOf(columns, figure, kind)!
  if (first.name !== name)
    return [
      `The columns "${first.name}" and "${name}" of the query "${query}" are both results of ${made} for ${figure}.`,
      'Remove one of them.',
    ]
  const measure = measureOf(columns, figure)
  if (measure === null)
    return [
      `The column "${name}" of the query "${query}" is a result of ${made}, but the kind of the figure ${figure} is unknown.`,
      `A duration requires a column with times(…), a share requires the column ${figure}_n, and a count must be a whole number.`,
    ]
  const { is, fits } = behind[measure]
  if (fits.includes(kind)) return null
  return [
    `The column "${name}" of the query "${query}" is a result of ${made}, but ${figure} is ${is}.`,
    `For ${is}, use ${fits.map((one) => `${makerOf(one)}(…)`).join(' or ')}.`,
  ]
}

function placeOf({ name }: QueryColumn, { sql, at }: Query): Place {
  const index = sql.split('\n').findIndex((line) => line.includes(name))
  return { file: at.file, line: at.line + Math.max(0, index) }
}
