import type { DuckDBConnection } from '@duckdb/node-api'
import { rowsOf } from '../support/tables.ts'

/** A candidate of a finding, with some columns of `no_candidates`. */
export interface Candidate {
  kind: string
  topic: string
  key: string
  parent?: string
  subject?: string
  within?: string
  value?: number
  before?: number
  estimate?: number
  low?: number
  high?: number
  p?: number
  n?: number
  is_worse?: boolean
  is_apart?: boolean
  detail?: string
  amount?: number
  part?: number
}

/** Returns the rows of the macro `findings`, including those that follow from others. */
export async function findingsOf(connection: DuckDBConnection, candidates: readonly Candidate[]) {
  const rows = candidates.map(
    (one) =>
      `select ${Object.entries({ subject: one.key, n: 10, is_worse: true, ...one })
        .map(([name, value]) => `${typeof value === 'string' ? `'${value}'` : value} as "${name}"`)
        .join(', ')}`,
  )
  const found = await rowsOf(
    connection,
    `with mine as (from no_candidates() union all by name ${rows.join(' union all by name ')}) from findings('mine') order by place`,
  )
  return found as {
    key: string
    q: number | null
    gives_way: boolean
    reason: string | null
    is_apart: boolean | null
    kind: string
    weight: number
  }[]
}

export const outside = (
  topic: string,
  key: string,
  before: number,
  value: number,
  more: Partial<Candidate> = {},
) => ({
  ...{ kind: 'outside', topic, key, value, before, estimate: value / before, n: value, p: 1e-6 },
  ...{ low: (value / before) * 0.8, high: (value / before) * 1.2, is_worse: value > before },
  ...more,
})

/** Durations of which the median became `value` instead of `before`. */
export const shift = (topic: string, key: string, more: Partial<Candidate> = {}): Candidate => ({
  ...{ kind: 'shift', topic, key, value: 200, before: 100, estimate: 2, low: 1.5, high: 2.5, p: 1e-6 },
  ...more,
})
