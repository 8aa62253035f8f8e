import { type ChartSpec, chartOf } from './charts/index.ts'
import { inOrder } from './drawing/category.ts'
import { formatOf } from './format.ts'
import type { ChartBlock, QueryResult, Value } from './result.ts'
import { columnSpec, type TableColumn } from './spec.ts'
import { linkTo } from './text.ts'

export function chartColumns(spec: ChartSpec): string[] {
  const { others, dates = [] } = chartOf(spec).columns(spec)
  return [...numberColumns(spec), ...dates, ...others].filter((name) => name !== null)
}

/** Returns the columns whose values must be numbers. */
export function numberColumns(spec: ChartSpec): string[] {
  const { measured, shares = [], numbers = [] } = chartOf(spec).columns(spec)
  return [...measured, ...shares, ...numbers].filter((name) => name !== null)
}

/** Returns the columns to which the chart’s `format` applies. */
export function measuredColumns(spec: ChartSpec): string[] {
  return chartOf(spec)
    .columns(spec)
    .measured.filter((name) => name !== null)
}

/** Returns the data of a chart as a table: values in the chart’s format, with one column per series. */
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
      label: columnWords(name),
      format: measured.includes(name) ? spec.format : shares.includes(name) ? 'percent' : formatOf(type),
    }))
}

/** Returns a column name as a label: `tta_p25` becomes `time to acknowledge p25`, and `from_s` becomes `from`. */
export function columnWords(name: string): string {
  const [start = '', ...rest] = name.replace(/_s$/, '').split('_')
  return [measures[start] ?? start, ...rest].join(' ').replace(/ (low|high|limit)$/, ' ($1)')
}

const measures: Record<string, string> = { tta: 'time to acknowledge', ttr: 'time to resolve' }

interface ChartData {
  data: QueryResult
  columns: readonly TableColumn[]
  /** The result rows from which each cell comes, by column. Only for pivoted data. */
  from?: ReadonlyMap<readonly Value[], readonly (readonly Value[])[]>
}

/** Returns the link of each cell. A number links to its incidents. If the row has no number, its name links to them. */
export function dataLinks({ links, spec }: ChartBlock, { data, columns, from }: ChartData) {
  if (!from) {
    const counts = chartOf(spec).counts?.(spec)
    const main = Math.max(
      0,
      columns.findIndex(({ column }) => column === counts),
    )
    return (row: readonly Value[], column: number) => (column === main ? linkTo(links, [row]) : null)
  }
  // Several cells can belong to one drawn mark, such as the parts of a column. They then share its link.
  const cells = countOf(data.rows.flatMap((row) => from.get(row)!.map((cell) => linkTo(links, [cell]))))
  const rows = countOf(
    data.rows.flatMap((row) => [...new Set(from.get(row)!.map((cell) => linkTo(links, [cell])))]),
  )
  return (row: readonly Value[], column: number) => {
    const own = column > 0 ? from.get(row)![column - 1] : undefined
    const href = linkTo(links, own ? [own] : column === 0 ? from.get(row)! : [])
    const isOwn =
      href !== null && (column > 0 ? cells.get(href) === 1 : cells.get(href)! > 1 && rows.get(href) === 1)
    return isOwn ? href : null
  }
}

function countOf(hrefs: readonly (string | null)[]): Map<string | null, number> {
  const counts = new Map<string | null, number>()
  for (const href of hrefs) counts.set(href, (counts.get(href) ?? 0) + 1)
  return counts
}

/** Pivots a long result to one row per `x`, with one column per series. Null if the chart has no series. */
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
  const from = new Map<readonly Value[], (readonly Value[])[]>()
  for (const row of data.rows) {
    const key = name(row[x])
    const wide = rows.get(key) ?? [
      row[x] ?? null,
      ...names.map(() => null),
      ...(partial < 0 ? [] : [row[partial] ?? null]),
    ]
    const place = names.indexOf(name(row[series]))
    wide[1 + place] = row[y] ?? null
    rows.set(key, wide)
    if (!from.has(wide))
      from.set(
        wide,
        Array.from(names, () => []),
      )
    from.get(wide)![place] = row
  }
  const type = data.columns[y]!.type
  return {
    from,
    data: {
      ...data,
      // Series names are data, so they are only used as labels. The columns are named by number.
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
