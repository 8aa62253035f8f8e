import { type ChartSpec, chartOf } from './charts/index.ts'
import { inOrder } from './drawing/category.ts'
import { formatOf } from './format.ts'
import type { QueryResult, Value } from './result/query-result.ts'
import type { ChartBlock } from './result.ts'
import { columnSpec, type TableColumn } from './spec.ts'

/** Every column that a chart reads. */
export function chartColumns(spec: ChartSpec): string[] {
  const { others } = chartOf(spec).columns(spec)
  return [...numberColumns(spec), ...others].filter((name) => name !== null)
}

/** Those whose values have to be numbers. */
export function numberColumns(spec: ChartSpec): string[] {
  const { measured, shares = [], numbers = [] } = chartOf(spec).columns(spec)
  return [...measured, ...shares, ...numbers].filter((name) => name !== null)
}

/** Those that its `format` is about. */
export function measuredColumns(spec: ChartSpec): string[] {
  return chartOf(spec)
    .columns(spec)
    .measured.filter((name) => name !== null)
}

/** The data of a chart as a table: values in the chart's format, other columns by their type, series side by side. */
export function dataOf(block: ChartBlock): ChartData {
  const columns = dataColumns(block)
  const column = (name: string) => columns.find((each) => each.column === name)!
  return pivoted(block, column) ?? { data: block.data, columns }
}

function dataColumns({ spec, data }: ChartBlock): TableColumn[] {
  const { measured, shares = [], drawn = null } = chartOf(spec).columns(spec)
  const used = chartColumns(spec).filter((name) => name !== drawn)
  return data.columns
    .filter(({ name }) => used.includes(name))
    .map(({ name, type }) => ({
      ...columnSpec.parse({ column: name }),
      label: name.replaceAll('_', ' '),
      format: measured.includes(name) ? spec.format : shares.includes(name) ? 'percent' : formatOf(type),
    }))
}

interface ChartData {
  data: QueryResult
  columns: readonly TableColumn[]
}

/**
 * A long result as a wide one: a row for each `x`, a column for each value of `color` or `facet`. Null for a chart
 * without series.
 */
function pivoted({ spec, data }: ChartBlock, column: (name: string) => TableColumn): ChartData | null {
  const keys = chartOf(spec).series?.(spec)
  if (!keys) return null
  const at = (name: string) => data.columns.findIndex((each) => each.name === name)
  const [x, y, series] = [at(keys.x), at(keys.y), at(keys.by)]
  const partial = at('is_partial')
  const name = (value: Value | undefined) => String(value ?? '(none)')
  const names = inOrder(data.rows.map((row) => name(row[series])))
  const labels = names.map((each) => keys.label?.(each) ?? each)
  const rows = new Map<string, Value[]>()
  for (const row of data.rows) {
    const key = name(row[x])
    const wide = rows.get(key) ?? [
      row[x] ?? null,
      ...names.map(() => null),
      ...(partial < 0 ? [] : [row[partial] ?? null]),
    ]
    wide[1 + names.indexOf(name(row[series]))] = row[y] ?? null
    rows.set(key, wide)
  }
  const type = data.columns[y]!.type
  return {
    data: {
      ...data,
      // Names of series are data: they become labels, and columns are numbered.
      columns: [
        data.columns[x]!,
        ...names.map((_, index) => ({ name: `series_${index}`, type })),
        ...(partial < 0 ? [] : [data.columns[partial]!]),
      ],
      rows: [...rows.values()],
    },
    columns: [
      column(keys.x),
      ...labels.map((label, index) => ({ ...column(keys.y), column: `series_${index}`, label })),
    ],
  }
}
