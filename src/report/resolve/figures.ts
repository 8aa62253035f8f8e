import { usualSeries } from '../../render/charts/index.ts'
import { numberOf } from '../../render/format.ts'
import type { QueryColumn, UsualRange } from '../../render/result.ts'
import { name as quoted } from '../../warehouse/quote.ts'
import { objectsOf } from '../../warehouse/read/objects-of.ts'
import type { Session } from '../../warehouse/read/session.ts'
import type { Reference } from '../parse/block-schema.ts'
import type { Place } from '../parse/mistakes.ts'
import { cardsOf, type Report, textsOf } from '../parse/parse.ts'
import { tagsOf } from '../parse/template.ts'
import { frameSql } from '../scope/frame-sql.ts'
import { isCount, type Measure, measureOf, samplesSql } from './figure-sample.ts'

/** A change in a word, as the macros of `sql/` say it. */
export const wording = {
  duration: { less: 'faster', more: 'slower', either: 'faster or slower' },
  share: { less: 'lower', more: 'higher', either: 'lower or higher' },
  count: { less: 'fewer', more: 'more', either: 'fewer or more' },
} as const

/** What the macros of `sql/` say of a figure of the current period; see `reports/frame/figures.sql`. */
export interface Figure {
  measure: Measure
  /** Observations behind a duration. */
  n: number | null
  /** The 95 % interval. */
  interval: readonly [number, number] | null
  /** How much more, or below 0 less, than in the previous period: of a share the difference, else the part. */
  moved: number | null
  /** Its 95 % interval; what a count rose to from none has no upper end. */
  movedInterval: readonly [number, number | null] | null
  /** What it is compared with: by the same rule, as it stood equally long after its end; null of counts, which are as they are. */
  before: number | null
  /** Of a duration, how many seconds more, or below 0 less. */
  movedSeconds: number | null
  /** What is said of the change, see `sql/statistics/change-verdict.sql`, or why nothing is compared. */
  verdict: string
  isJudged: boolean
  /** 0 where less than 99 % speak for more or for less. */
  direction: -1 | 0 | 1
}

/** What the macros of `sql/` say of a series over time; see `reports/frame/usual-ranges.sql`. */
export interface Usual {
  last: number
  /** Fewer than five in all were counted. */
  isRare: boolean
  /** Null for too few points. */
  range: UsualRange | null
  /** Of the last value: above, inside or below. */
  direction: -1 | 0 | 1
  /** The whole numbers inside. */
  least: number | null
  most: number | null
}

/** A column over time that is drawn as a control chart or spoken of as usual. */
export interface Series extends Reference {
  x: string
  scale: 'linear' | 'log'
}

/** Every interval, change and usual range that a report shows. */
export interface Figures {
  /** Undefined where nothing says what the column is. */
  of(reference: Reference): Figure | undefined
  usual(series: Series): Usual | undefined
}

/** The columns of every query of a report, by the query's name; null of a query that failed itself. */
export type Shapes = ReadonlyMap<string, readonly QueryColumn[] | null>

/** The figures whose change a report tells, of cards first, each once; `at` is where the first stands. */
export function figuresShown(report: Report): (Reference & { at: Place })[] {
  const shown = [
    ...cardsOf(report).map(({ card, at }) => ({ ...card.value, at })),
    ...textsOf(report)
      .flatMap(tagsOf)
      .filter(({ as }) => as.kind === 'change'),
  ]
  return shown.filter((one, place) => shown.findIndex((other) => nameOf(other) === nameOf(one)) === place)
}

/** Asks the macros of `sql/` for what a report shows beside its figures. The session holds the results by their names. */
export async function figuresOf(session: Session, report: Report, shapes: Shapes): Promise<Figures> {
  const tags = textsOf(report).flatMap(tagsOf)
  const shown = figuresShown(report)
  const series = [
    ...tags
      .filter(({ as }) => as.kind === 'usual')
      .map(({ query, column }): Series => ({ query, column, x: 'week', scale: 'linear' })),
    ...report.pieces.flatMap((piece): Series[] => {
      const usual = piece.kind === 'chart' && usualSeries(piece.body)
      return usual ? [{ query: piece.body.data, ...usual }] : []
    }),
  ]
  const columnsOf = ({ query }: Reference) => shapes.get(query) ?? []
  const ask = async (relation: string, selects: readonly string[], file: string) => {
    if (selects.length === 0) return []
    const given = [...new Set(selects)].join('\nunion all\n')
    return objectsOf(await session.query(`with ${relation} as (\n${given}\n)\nfrom (\n${frameSql(file)}\n)`))
  }
  const figures = await ask(
    'figures',
    shown.flatMap((each) => figureSql(each, columnsOf(each))),
    'figures',
  )
  const usual = await ask(
    'points',
    series.map((each) => pointsSql(each, columnsOf(each))),
    'usual-ranges',
  )
  const byName = new Map(figures.map((row) => [String(row.figure), row]))
  const bySeries = new Map(usual.map((row) => [String(row.series), usualOf(row)]))
  return {
    of(reference) {
      const measure = measureOf(columnsOf(reference), reference.column)
      return measure ? figureOf(measure, byName.get(nameOf(reference)) ?? {}) : undefined
    },
    usual: (one) => bySeries.get(seriesName(one)),
  }
}

function nameOf({ query, column }: Reference): string {
  return `${query}.${column}`
}

function seriesName({ x, scale, ...reference }: Series): string {
  return `${nameOf(reference)} by ${x}, ${scale}`
}

/** The rows of `figures` for a column; none where nothing says what it is. */
function figureSql({ query, column }: Reference, columns: readonly QueryColumn[]): string[] {
  const measure = measureOf(columns, column)
  if (measure === null) return []
  const period = columns.some(({ name }) => name === 'period') ? 'period::varchar' : "'current'"
  const n = measure === 'share' ? quoted(`${column}_n`) : 'null'
  return [
    `select '${nameOf({ query, column })}' as figure, '${measure}' as measure, ${period} as period,
      ${quoted(column)}::double as value, ${n}::double as n, ${samplesSql(columns, column)}
    from ${quoted(query)}`,
  ]
}

/** The rows of `points` for a series. */
function pointsSql(series: Series, columns: readonly QueryColumn[]): string {
  const isWhole =
    series.x === 'week'
      ? 'try_cast(week as date) in (select week from scoped_weeks where not is_partial)'
      : columns.some(({ name }) => name === 'is_partial')
        ? 'is_partial is distinct from true'
        : 'true'
  return `select '${seriesName(series)}' as series, row_number() over (order by ${quoted(series.x)}) as place,
      ${quoted(series.column)}::double as value, ${isWhole} as is_whole, ${series.scale === 'log'} as on_log,
      ${series.scale !== 'log' && isCount(columns, series.column)} as is_count from ${quoted(series.query)}`
}

type Row = Record<string, Parameters<typeof numberOf>[0]>

function figureOf(measure: Measure, row: Row): Figure {
  const [low, high] = [numberOf(row.low), numberOf(row.high)]
  const movedLow = numberOf(row.moved_low)
  const verdict = String(row.verdict ?? 'nothing to compare with')
  const { less, more } = wording[measure]
  return {
    measure,
    n: measure === 'duration' ? Number(row.n ?? 0) : null,
    interval: low === null || high === null ? null : [low, high],
    moved: numberOf(row.moved),
    movedInterval: movedLow === null ? null : [movedLow, numberOf(row.moved_high)],
    before: numberOf(row.before),
    movedSeconds: numberOf(row.moved_s),
    verdict,
    isJudged: row.is_judged === true,
    direction: verdict === less ? -1 : verdict === more ? 1 : 0,
  }
}

function usualOf(row: Row): Usual {
  const [low, centre, high] = [numberOf(row.low), numberOf(row.centre), numberOf(row.high)]
  const isDrawn = low !== null && centre !== null && high !== null
  const points = Number(row.points)
  const judged = row.is_judged === true
  const note = judged ? `by ${row.by}s of ${points} points` : `${points} points; drawn from 6, judged from 12`
  return {
    last: Number(row.last),
    isRare: row.is_rare === true,
    range: isDrawn ? { low, centre, high, points, judged, note } : null,
    direction: directionOf(row),
    least: numberOf(row.least),
    most: numberOf(row.most),
  }
}

function directionOf({ direction }: Row): -1 | 0 | 1 {
  const sign = numberOf(direction)
  return sign === 1 || sign === -1 ? sign : 0
}
