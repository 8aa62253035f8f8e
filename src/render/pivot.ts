import { inOrder } from './chart/category.ts'
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
  const by = spec.type === 'columns' ? (spec.color ?? spec.facet) : null
  if (spec.type !== 'columns' || by === null) return null
  const at = (name: string) => data.columns.findIndex((each) => each.name === name)
  const [x, y, series] = [at(spec.x), at(spec.y), at(by)]
  const name = (value: Value | undefined) => String(value ?? '(none)')
  const names = inOrder(data.rows.map((row) => name(row[series])))
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
      column(spec.x),
      ...names.map((label, index) => ({ ...column(spec.y), column: `series_${index}`, label })),
    ],
  }
}
