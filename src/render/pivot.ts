import { inOrder } from './chart/category.ts'
import { weekdays } from './chart/heatmap.ts'
import type { ChartSpec } from './chart-spec.ts'
import type { ChartBlock, QueryResult, TableColumn, Value } from './result.ts'

/** What stands under a chart as its data. */
export interface Shown {
  data: QueryResult
  columns: readonly TableColumn[]
}

/**
 * A long result as a wide one: a row for each `x`, a column for each value of `color` or `facet`. A chart with series
 * reads like that, and it takes a quarter of the page.
 */
export function pivoted({ spec, data }: ChartBlock, column: (name: string) => TableColumn): Shown | null {
  const keys = keysOf(spec)
  if (!keys) return null
  const at = (name: string) => data.columns.findIndex((each) => each.name === name)
  const [x, y, series] = [at(keys.x), at(keys.y), at(keys.by)]
  const name = (value: Value | undefined) => String(value ?? '(none)')
  const names = inOrder(data.rows.map((row) => name(row[series])))
  const labels = names.map((each) => (spec.type === 'heatmap' ? (weekdays[Number(each) - 1] ?? each) : each))
  const rows = new Map<string, Value[]>()
  for (const row of data.rows) {
    const key = name(row[x])
    const wide = rows.get(key) ?? [row[x] ?? null, ...names.map(() => null)]
    wide[1 + names.indexOf(name(row[series]))] = row[y] ?? null
    rows.set(key, wide)
  }
  const type = data.columns[y]!.type
  return {
    data: {
      ...data,
      // Names of series are data: they are shown as labels, and the columns are told apart by number.
      columns: [data.columns[x]!, ...names.map((_, index) => ({ name: `series_${index}`, type }))],
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
