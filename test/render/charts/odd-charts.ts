import type { ChartSpec } from '../../../src/render/charts/index.ts'
import type { Block, QueryColumn, QueryResult, Value } from '../../../src/render/result.ts'
import { specOf } from './drawn-chart.ts'

/** Hostile text that the service may return. */
export const hostile = '<script>alert(1)</script>"\'&{{ x.y }}[a](javascript:alert(1))\u202e\u001b[31m\u0000'

export function query(columns: Record<string, string>, rows: Value[][], name = 'q'): QueryResult {
  const list: QueryColumn[] = Object.entries(columns).map(([column, type]) => ({ name: column, type }))
  return { name, sql: `select '${hostile}'`, columns: list, rows }
}

export function chart(spec: ChartSpec, data: QueryResult): Block {
  return {
    kind: 'chart',
    title: [{ kind: 'text', text: hostile }],
    subtitle: [],
    width: 'full',
    spec,
    data,
    rules: [{ label: 'median', value: 60 }],
  }
}

export const weeks = ['2026-10-05', '2026-10-12', '2026-10-19', '2026-10-26']
const ends = ['a', 'b']
const line = { type: 'line', x: 'week', y: ends, band: ends, n: 'n', open: 'n', format: 'duration' }
export const data = query(
  { week: 'DATE', a: 'DOUBLE', b: 'DOUBLE', n: 'BIGINT', team: 'VARCHAR' },
  weeks.map((week, i) => [week, i === 1 ? null : 60 * i, 400 * i, BigInt(5 * i), hostile]),
)
const quantiles = ['p10', 'p25', 'p50', 'p75', 'p90']
const strips = query(
  {
    severity: 'VARCHAR',
    ...Object.fromEntries(quantiles.map((name) => [name, 'DOUBLE'])),
    n: 'BIGINT',
  },
  [
    ['Critical', 1, 60, 300, 900, 9000, 50n],
    [hostile, 0, 0, 1, 2, 3, 4n],
    ['Ok', null, null, null, null, null, 0n],
  ],
)
const percentiles = { type: 'percentiles', x: quantiles, y: 'severity', n: 'n' }
/** Every kind of chart, with hostile names and missing values. */
export const specs: [ChartSpec, QueryResult][] = [
  [specOf(line), data],
  [specOf({ ...line, scale: 'log' }), data],
  [specOf({ type: 'columns', x: 'week', y: 'n', color: 'team' }), data],
  [specOf({ type: 'columns', x: 'week', y: 'n', color: 'team', stack: false }), data],
  [specOf({ type: 'columns', x: 'team', y: 'n' }), data],
  [specOf({ type: 'columns', x: 'week', y: 'n', facet: 'team' }), data],
  [specOf({ type: 'bars', x: 'n', y: 'team' }), data],
  [specOf({ ...percentiles, interval: ['p25', 'p75'], target: 'p50', open: 'n', scale: 'log' }), strips],
  [specOf(percentiles), strips],
  [specOf({ type: 'histogram', x: ['p10', 'p25'], y: 'n' }), strips],
  [specOf({ type: 'histogram', x: ['p10', 'p25'], y: 'n', scale: 'log' }), strips],
  [
    specOf({ type: 'heatmap', x: 'hour', y: 'weekday', color: 'n', outline: 'is_work' }),
    query({ hour: 'BIGINT', weekday: 'BIGINT', n: 'BIGINT', is_work: 'BOOLEAN' }, [
      [9n, 1n, 4n, true],
      [23n, 7n, 1n, false],
      [24n, 8n, 9n, true],
    ]),
  ],
  [
    specOf({ type: 'survival', x: 'p10', y: 'p25', band: ['low', 'high'], censored: 'n', scale: 'log' }),
    query({ p10: 'DOUBLE', p25: 'DOUBLE', low: 'DOUBLE', high: 'DOUBLE', n: 'BIGINT' }, [
      [60, 0.8, 0.7, 0.9, 0n],
      [3600, 0.2, 0.1, 0.3, 2n],
    ]),
  ],
  [specOf({ type: 'control', x: 'week', y: 'a', n: 'n', format: 'duration' }), data],
  [specOf({ type: 'control', x: 'week', y: 'b', scale: 'log', format: 'duration' }), data],
]
