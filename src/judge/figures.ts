import { quoteIdentifier } from '../definitions/quote.ts'
import { usualSeries } from '../render/charts/index.ts'
import { numberOf } from '../render/format.ts'
import type { QueryColumn, UsualRange, Value } from '../render/result.ts'
import type { Shapes } from '../report/check-blocks.ts'
import { isCount, type Measure, measureOf, samplesSql } from '../report/figure-sample.ts'
import type { Reference } from '../report/parse/block-schema.ts'
import { cardsOf, type Report, textsOf } from '../report/parse/parse.ts'
import type { Place } from '../report/parse/report-errors.ts'
import { tagsOf } from '../report/parse/template.ts'
import { frameSql } from '../report/scope/frame-sql.ts'
import { objectsOf } from '../warehouse/read/rows-to-objects.ts'
import type { Session } from '../warehouse/read/session.ts'
import { type Beside, type Burst, judge, type Silence, type Verdict } from './change-verdict.ts'

/** Results of the statistical tests for a figure of the current period. See `reports/frame/figures.sql`. */
export interface Figure {
  measure: Measure
  n: number | null
  interval: readonly [number, number] | null
  /** The relative change or, for a share, the difference. Negative for a decrease. */
  moved: number | null
  /** 95% CI of the change. The upper end is null for a count that rose from 0. */
  movedInterval: readonly [number, number | null] | null
  /** The previous value, computed by the same rule and with the same follow-up time. Null for counts. */
  before: number | null
  /** Only for durations: the change in seconds. */
  movedSeconds: number | null
  verdict: Verdict
  basis: Basis | null
}

/** Evidence for a verdict. See the first comment in `reports/frame/figures.sql`. */
export interface Basis extends Beside {
  p: number | null
  /** 0.99 for a sure change, 0.95 for a possible one, or 0. */
  certainty: number
  /** Direction of the change (1 or -1), or 0 if the evidence is contradictory. */
  sign: -1 | 0 | 1
  isSmall: boolean
}

/** Expected range of a series. See `reports/frame/usual-ranges.sql`. */
export interface Usual {
  last: number
  /** Whether the series has fewer than five incidents in total. */
  isRare: boolean
  /** Whether the last value is in a data gap, which is not part of the range. */
  isInGap: boolean
  range: UsualRange | null
  /** Whether the last value is above (1), inside (0) or below (-1) the range. */
  direction: -1 | 0 | 1
  outside: number
  least: number | null
  most: number | null
}

/** A column over time for which an expected range is computed. */
export interface Series extends Reference {
  x: string
  scale: 'linear' | 'log'
}

export interface Figures {
  /** Undefined if the kind of figure in the column is unknown. */
  of(reference: Reference): Figure | undefined
  usual(series: Series): Usual | undefined
}

/** Returns each figure with a change once, cards first. `at` is where the figure first appears. */
export function figuresShown(report: Report): (Reference & { at: Place })[] {
  const shown = [
    ...cardsOf(report).map(({ card, at }) => ({ ...card.value, at })),
    ...textsOf(report)
      .flatMap(tagsOf)
      .filter(({ as }) => as.kind === 'change'),
  ]
  return shown.filter((one, place) => shown.findIndex((other) => nameOf(other) === nameOf(one)) === place)
}

/** The session must contain the query results as relations with the names of the queries. */
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
  const given = shown.flatMap((each) => figureSql(each, columnsOf(each)))
  const measures = new Set(shown.map((each) => measureOf(columnsOf(each), each.column)))
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
  return {
    of(reference) {
      const measure = measureOf(columnsOf(reference), reference.column)
      if (!measure) return undefined
      return figureOf(measure, byName.get(nameOf(reference)) ?? {}, { comparable, silence })
    },
    usual: (one) => bySeries.get(seriesName(one)),
  }
}

/** Returns SQL for the relation `judged_figures` with only these measures, because planning the others takes time. */
function judgedFigures(measures: ReadonlySet<Measure | null>): string {
  const parts = [...measures].filter((measure) => measure !== null).sort()
  const rows = parts.map((measure) => `from (\n${frameSql(`figures-${measure}s`)}\n)`)
  return `, judged_figures as (\n${rows.join('\nunion all by name\n')}\n)`
}

/** Replaces verdicts with final ones. `verdicts` contains the final verdicts by figure name. */
export function withVerdicts(figures: Figures, verdicts: ReadonlyMap<string, Verdict>): Figures {
  return {
    ...figures,
    of(reference) {
      const figure = figures.of(reference)
      const verdict = verdicts.get(nameOf(reference))
      return figure && verdict ? { ...figure, verdict } : figure
    },
  }
}

/** Returns the name of a figure, such as `figures.tta`. */
export function nameOf(of: Reference): string {
  return `${of.query}.${of.column}`
}

function seriesName({ x, scale, ...reference }: Series): string {
  return `${nameOf(reference)} by ${x}, ${scale}`
}

/** Builds SQL for the rows that a column adds to `figures`. Empty if the kind of figure is unknown. */
function figureSql({ query, column }: Reference, columns: readonly QueryColumn[]): string[] {
  const measure = measureOf(columns, column)
  if (measure === null) return []
  const period = columns.some(({ name }) => name === 'period') ? 'period::varchar' : "'current'"
  const n = measure === 'share' ? quoteIdentifier(`${column}_n`) : 'null'
  return [
    `select '${nameOf({ query, column })}' as figure, '${measure}' as measure, ${period} as period,
      ${quoteIdentifier(column)}::double as value, ${n}::double as n, ${samplesSql(columns, column)}
    from ${quoteIdentifier(query)}`,
  ]
}

function pointsSql(series: Series, columns: readonly QueryColumn[]): string {
  const isWhole =
    series.x === 'week'
      ? "try_cast(week as date) in (select week from scoped_weeks where not is_partial and period <> 'running')"
      : columns.some(({ name }) => name === 'is_partial')
        ? 'is_partial is distinct from true'
        : 'true'
  const isInGap =
    series.x === 'week'
      ? `exists (from scoped_silences where from_day < bucket_end(try_cast(week as date)) and to_day > try_cast(week as date))`
      : 'false'
  return `select '${seriesName(series)}' as series, ${isInGap} as is_in_gap, row_number() over (order by ${quoteIdentifier(series.x)}) as place,
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
      reason: row.verdict == null ? null : String(row.verdict),
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

/** Returns the longest run of days without incidents in either period, or null. */
async function silenceOf(session: Session): Promise<Silence | null> {
  const rows = objectsOf(
    await session.query(
      'from scoped_silences where in_current + in_previous > 0 order by days desc, from_day limit 1',
    ),
  )
  const [gap] = rows
  return gap ? { days: Number(gap.days), from: gap.from_day!, isOpen: gap.is_open === true } : null
}

function usualOf(row: Row): Usual {
  const [low, centre, high] = [numberOf(row.low), numberOf(row.centre), numberOf(row.high)]
  const isDrawn = low !== null && centre !== null && high !== null
  const points = Number(row.points)
  const judged = row.is_judged === true
  return {
    last: Number(row.last),
    isRare: row.is_rare === true,
    isInGap: row.is_in_gap === true,
    range: isDrawn ? { low, centre, high, points, judged, by: String(row.by) } : null,
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
