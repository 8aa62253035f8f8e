import { quoteIdentifier } from '../../definitions/quote.ts'
import type { QueryColumn } from '../../render/result.ts'

const durations = 'STRUCT("place" BIGINT, "seconds" DOUBLE, "is_open" BOOLEAN, "part" UTINYINT, "n" BIGINT)[]'
const trials = 'STRUCT("hits" MAP(BIGINT, BIGINT), "n" MAP(BIGINT, BIGINT))'

/**
 * What can stand behind a figure, for its interval and its verdict: the one field of the struct that the macro of
 * `reports/frame/macros.sql` gives, and the type in it. What a column is called says only whose it is.
 */
const contents = {
  times_of: durations,
  earlier_times_of: durations,
  interval_of: 'STRUCT("low" DOUBLE, "high" DOUBLE)',
  weeks_of: 'MAP(BIGINT, BIGINT)',
  earlier_weeks_of: 'MAP(BIGINT, BIGINT)',
  share_weeks_of: trials,
  earlier_share_weeks_of: trials,
} as const

export type SampleKind = keyof typeof contents

export const sampleKinds = Object.keys(contents) as SampleKind[]

/** The name of the macro that makes it. */
export const makerOf = (kind: SampleKind) => (kind === 'times_of' ? 'times' : kind)

/** What is behind a figure, by the first field of the column's type; null for a column like any other. Rows are not needed for it. */
export function sampleKind({ type }: QueryColumn): SampleKind | null {
  return sampleKinds.find((kind) => type.startsWith(`STRUCT("${kind}" `)) ?? null
}

/** Whether a sample holds what its macro puts there. */
export function isWellMade({ type }: QueryColumn): boolean {
  return sampleKinds.some((kind) => type === `STRUCT("${kind}" ${contents[kind]})`)
}

/** The figure that a sample belongs to by its name: `tta_sample` to `tta`. */
export function figureOfSample({ name }: QueryColumn): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('_')))
}

/** The sample of a kind that belongs to a figure. */
export function sampleOf(columns: readonly QueryColumn[], figure: string, kind: SampleKind) {
  return columns.find((column) => sampleKind(column) === kind && figureOfSample(column) === figure)
}

/** What is in the samples of a figure, as columns of a select; null in those it has not. */
export function samplesSql(columns: readonly QueryColumn[], figure: string): string {
  return sampleKinds
    .map((kind) => {
      const column = sampleOf(columns, figure, kind)
      return `${column ? `${quoteIdentifier(column.name)}.${kind}` : 'null'}::${contents[kind]} as ${kind}`
    })
    .join(', ')
}

/** What a figure is decides how its change is judged. */
export type Measure = 'duration' | 'share' | 'count'

/** What the columns beside a figure say it is: `times(…)` for a duration, `ttr_n` for a share; a whole number is a count. */
export function measureOf(columns: readonly QueryColumn[], column: string): Measure | null {
  if (sampleOf(columns, column, 'times_of')) return 'duration'
  if (columns.some(({ name }) => name === `${column}_n`)) return 'share'
  return isCount(columns, column) ? 'count' : null
}

/** Whole numbers. */
export function isCount(columns: readonly QueryColumn[], column: string): boolean {
  const type = columns.find(({ name }) => name === column)?.type ?? ''
  return /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?)$/.test(type)
}
