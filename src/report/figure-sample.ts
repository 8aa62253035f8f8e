import { quoteIdentifier } from '../definitions/quote.ts'
import type { QueryColumn } from '../render/result.ts'

const durations = 'STRUCT("place" BIGINT, "seconds" DOUBLE, "is_open" BOOLEAN, "part" UTINYINT, "n" BIGINT)[]'
const trials = 'STRUCT("hits" MAP(BIGINT, BIGINT), "n" MAP(BIGINT, BIGINT))'

/** DuckDB types of samples, the data from which changes are tested. Macros wrap each sample in a struct. */
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

export const makerOf = (kind: SampleKind) => (kind === 'times_of' ? 'times' : kind)

/** Returns the kind of a sample, which is the name of the field in its struct. Null for other columns. */
export function sampleKind({ type }: QueryColumn): SampleKind | null {
  return sampleKinds.find((kind) => type.startsWith(`STRUCT("${kind}" `)) ?? null
}

/** Checks whether a sample has the type that its macro returns. */
export function isWellMade({ type }: QueryColumn): boolean {
  return sampleKinds.some((kind) => type === `STRUCT("${kind}" ${contents[kind]})`)
}

/** Returns the figure that a sample belongs to, such as `tta` for `tta_sample`. */
export function figureOfSample({ name }: QueryColumn): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('_')))
}

export function sampleOf(columns: readonly QueryColumn[], figure: string, kind: SampleKind) {
  return columns.find((column) => sampleKind(column) === kind && figureOfSample(column) === figure)
}

/** Builds the select columns for the samples of a figure. A missing sample is null. */
export function samplesSql(columns: readonly QueryColumn[], figure: string): string {
  return sampleKinds
    .map((kind) => {
      const column = sampleOf(columns, figure, kind)
      return `${column ? `${quoteIdentifier(column.name)}.${kind}` : 'null'}::${contents[kind]} as ${kind}`
    })
    .join(', ')
}

/** The kind of a figure, which decides how a change in it is tested. */
export type Measure = 'duration' | 'share' | 'count'

/** A duration has a sample from `times(…)`. A share has a column with its sample size, such as `ttr_n`. */
export function measureOf(columns: readonly QueryColumn[], column: string): Measure | null {
  if (sampleOf(columns, column, 'times_of')) return 'duration'
  if (columns.some(({ name }) => name === `${column}_n`)) return 'share'
  return isCount(columns, column) ? 'count' : null
}

export function isCount(columns: readonly QueryColumn[], column: string): boolean {
  const type = columns.find(({ name }) => name === column)?.type ?? ''
  return /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?)$/.test(type)
}
