import { inOrder } from './chart/category.ts'
import { weekdays } from './chart/heatmap.ts'
import { formatOf } from './format.ts'
import type { QueryResult, Value } from './result/query-result.ts'
import type { ChartBlock } from './result.ts'
import { type ChartSpec, chartColumns, columnSpec, measuredColumns, type TableColumn } from './spec.ts'

/** The data of a chart as a table: values in the chart's format, other columns by their type, series side by side. */
export function dataOf(block: ChartBlock): ChartData {
  const columns = dataColumns(block)
  const column = (name: string) => columns.find((each) => each.column === name)!
  return pivoted(block, column) ?? { data: block.data, columns }
}

function dataColumns({ spec, data }: ChartBlock): TableColumn[] {
  const measured = measuredColumns(spec)
  // What is only drawn is no figure of the data.
  const drawn = 'outline' in spec ? spec.outline : 'trend' in spec ? spec.trend : null
  const used = chartColumns(spec).filter((name) => name !== drawn)
  const shares = spec.type === 'survival' ? [spec.y, ...(spec.band ?? [])] : []
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
  const keys = keysOf(spec)
  if (!keys) return null
  const at = (name: string) => data.columns.findIndex((each) => each.name === name)
  const [x, y, series] = [at(keys.x), at(keys.y), at(keys.by)]
  const partial = at('is_partial')
  const name = (value: Value | undefined) => String(value ?? '(none)')
  const names = inOrder(data.rows.map((row) => name(row[series])))
  const labels = names.map((each) => (spec.type === 'heatmap' ? (weekdays[Number(each) - 1] ?? each) : each))
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

/** Which columns become rows, cells and columns; null for a chart without series. */
function keysOf(spec: ChartSpec): { x: string; y: string; by: string } | null {
  if (spec.type === 'heatmap') return { x: spec.x, y: spec.color, by: spec.y }
  const by = spec.type === 'columns' ? (spec.color ?? spec.facet) : null
  return spec.type === 'columns' && by !== null ? { x: spec.x, y: spec.y, by } : null
}
