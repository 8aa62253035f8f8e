import { quoteIdentifier } from '../../definitions/quote.ts'
import { usualSeries } from '../../render/charts/index.ts'
import { numberOf } from '../../render/format.ts'
import type { QueryColumn, UsualRange, Value } from '../../render/result.ts'
import { objectsOf } from '../../warehouse/read/rows-to-objects.ts'
import type { Session } from '../../warehouse/read/session.ts'
import { type Beside, type Burst, judge, type Silence, type Verdict } from '../judge.ts'
import type { Reference } from '../parse/block-schema.ts'
import { cardsOf, type Report, textsOf } from '../parse/parse.ts'
import type { Place } from '../parse/report-errors.ts'
import { tagsOf } from '../parse/template.ts'
import { frameSql } from '../scope/frame-sql.ts'
import { isCount, type Measure, measureOf, samplesSql } from './figure-sample.ts'

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
  verdict: Verdict
  /** What it rests on; null where nothing is compared. */
  basis: Basis | null
}

/** What a verdict rests on; see the head of `reports/frame/figures.sql`. */
export interface Basis extends Beside {
  p: number | null
  /** How sure the change is: 0.99, 0.95 (possibly), or 0. */
  certainty: number
  /** Which way the figure moved; 0 where what speaks for it contradicts itself. */
  sign: -1 | 0 | 1
  /** All of the interval is small. */
  isSmall: boolean
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
  /** How many of all points lie outside. */
  outside: number
  /** The whole numbers inside. */
  least: number | null
  most: number | null
}

/** A column over time that is drawn as a control chart or spoken of as usual. */
export interface Series extends Reference {
  x: string
  scale: 'linear' | 'log'
}

/** A figure of a row of a table: `row` is what the row is called in the column `by`. */
export interface RowReference extends Reference {
  by: string
  row: Value
}

/** Every interval, change and usual range that a report shows. */
export interface Figures {
  /** Undefined where nothing says what the column is. */
  of(reference: Reference | RowReference): Figure | undefined
  /** Takes back that a change is sure: with all that the page looks at counted it is possible. */
  doubt(reference: Reference): void
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

/** Columns of tables that say how a figure of each row changed; `by` is what the rows are called. */
export function judgedColumns({ pieces }: Report): { query: string; column: string; by: string }[] {
  return pieces.flatMap((piece) =>
    piece.kind === 'table' ? (piece.body.columns ?? []).flatMap(({ verdict }) => verdict ?? []) : [],
  )
}

/** Asks the macros of `sql/` for what a report shows beside its figures. The session holds the results by their names. */
export async function figuresOf(
  session: Session,
  report: Report,
  shapes: Shapes,
  comparable: boolean,
): Promise<Figures> {
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
  const ask = async (relation: string, selects: readonly string[], sql: string, between = '') => {
    if (selects.length === 0) return []
    const given = [...new Set(selects)].join('\nunion all\n')
    return objectsOf(await session.query(`with ${relation} as (\n${given}\n)${between}\nfrom (\n${sql}\n)`))
  }
  const asked = [...shown, ...judgedColumns(report)]
  const given = asked.flatMap((each) => figureSql(each, columnsOf(each)))
  const measures = new Set(asked.map((each) => measureOf(columnsOf(each), each.column)))
  const figures = await ask('figures', given, frameSql('figures'), judgedFigures(measures))
  const judged = await ask('figures', given, frameSql('judged'))
  const usual = await ask(
    'points',
    series.map((each) => pointsSql(each, columnsOf(each))),
    frameSql('usual-ranges'),
  )
  const silence = await silenceOf(session)
  const byName = new Map(
    [...figures, ...judged].map(({ figure }) => [
      String(figure),
      Object.assign({}, ...[...figures, ...judged].filter((row) => row.figure === figure)) as Row,
    ]),
  )
  const bySeries = new Map(usual.map((row) => [String(row.series), usualOf(row)]))
  const doubted = new Set<string>()
  return {
    doubt: (reference) => void doubted.add(nameOf(reference)),
    of(reference) {
      const measure = measureOf(columnsOf(reference), reference.column)
      if (!measure) return undefined
      const name = nameOf(reference)
      const figure = figureOf(measure, byName.get(name) ?? {}, { comparable, silence })
      const { verdict } = figure
      return verdict.code === 'sure' && doubted.has(name)
        ? { ...figure, verdict: { ...verdict, code: 'possible' } }
        : figure
    },
    usual: (one) => bySeries.get(seriesName(one)),
  }
}

/** The relation `judged_figures` of these measures. A measure that no figure has would be planned for nothing. */
function judgedFigures(measures: ReadonlySet<Measure | null>): string {
  const parts = [...measures].filter((measure) => measure !== null).sort()
  const rows = parts.map((measure) => `from (\n${frameSql(`figures-${measure}s`)}\n)`)
  return `, judged_figures as (\n${rows.join('\nunion all by name\n')}\n)`
}

function nameOf(of: Reference | RowReference): string {
  return `${of.query}.${of.column}${'row' in of ? ` of ${of.row}` : ''}`
}

function seriesName({ x, scale, ...reference }: Series): string {
  return `${nameOf(reference)} by ${x}, ${scale}`
}

/** The rows of `figures` for a column; none where nothing says what it is. */
function figureSql(
  { query, column, by }: Reference & { by?: string },
  columns: readonly QueryColumn[],
): string[] {
  const measure = measureOf(columns, column)
  if (measure === null) return []
  const period = columns.some(({ name }) => name === 'period') ? 'period::varchar' : "'current'"
  const n = measure === 'share' ? quoteIdentifier(`${column}_n`) : 'null'
  return [
    `select '${nameOf({ query, column })}'${by ? ` || ' of ' || ${quoteIdentifier(by)}` : ''} as figure, '${measure}' as measure, ${period} as period,
      ${quoteIdentifier(column)}::double as value, ${n}::double as n, ${samplesSql(columns, column)}
    from ${quoteIdentifier(query)}`,
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
  return `select '${seriesName(series)}' as series, row_number() over (order by ${quoteIdentifier(series.x)}) as place,
      ${quoteIdentifier(series.column)}::double as value, ${isWhole} as is_whole, ${series.scale === 'log'} as on_log,
      ${series.scale !== 'log' && isCount(columns, series.column)} as is_count from ${quoteIdentifier(series.query)}`
}

type Row = Record<string, Value | undefined>

function figureOf(
  measure: Measure,
  row: Row,
  known: { comparable: boolean; silence: Silence | null },
): Figure {
  const [low, high] = [numberOf(row.low), numberOf(row.high)]
  const movedLow = numberOf(row.moved_low)
  const basis = row.is_judged === true ? basisOf(row) : null
  return {
    measure,
    n: measure === 'duration' ? Number(row.n ?? 0) : null,
    interval: low === null || high === null ? null : [low, high],
    moved: numberOf(row.moved),
    movedInterval: movedLow === null ? null : [movedLow, numberOf(row.moved_high)],
    before: numberOf(row.before),
    movedSeconds: numberOf(row.moved_s),
    verdict: judge({
      ...known,
      measure,
      burst: burstOf(row),
      atOnce: numberOf(row.at_once),
      basis,
      moved: numberOf(row.moved),
      reason: String(row.verdict ?? 'nothing to compare with'),
    }),
    basis,
  }
}

function basisOf(row: Row): Basis {
  const compared = numberOf(row.parts)
  return {
    p: numberOf(row.p),
    certainty: numberOf(row.certainty) ?? 0,
    sign: directionOf(row),
    isSmall: row.is_small === true,
    lag: numberOf(row.lag),
    couldShow: numberOf(row.could_show),
    movedAtMix: numberOf(row.moved_at_mix),
    parts:
      compared === null ? null : { compared, less: Number(row.parts_less), more: Number(row.parts_more) },
    mix: row.mix === 'mix' || row.mix === 'reversed' || row.mix === 'hidden' ? row.mix : null,
  }
}

function burstOf(row: Row): Burst | null {
  if (typeof row.burst_period !== 'string') return null
  return {
    isNow: row.burst_period === 'current',
    n: Number(row.burst_n),
    part: Number(row.burst_part),
    of: Number(row.burst_of),
    from: row.burst_from ?? null,
    isDay: row.burst_is_day === true,
    ratio: numberOf(row.ratio),
    ratioRest: numberOf(row.ratio_rest),
  }
}

/** The longest silence of either period; null where there was none. */
async function silenceOf(session: Session): Promise<Silence | null> {
  const rows = objectsOf(
    await session.query(
      'select days from scoped_silences where in_current + in_previous > 0 order by days desc limit 1',
    ),
  )
  return rows[0] ? { days: Number(rows[0].days) } : null
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
    outside: Number(row.outside ?? 0),
    least: numberOf(row.least),
    most: numberOf(row.most),
  }
}

function directionOf({ direction }: Row): -1 | 0 | 1 {
  const sign = numberOf(direction)
  return sign === 1 || sign === -1 ? sign : 0
}
