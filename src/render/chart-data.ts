import { group, rollup } from 'd3-array'
import { type ChartSpec, chartOf } from './charts/index.ts'
import { inOrder } from './drawing/category.ts'
import { formatOf } from './format.ts'
import type { ChartBlock, QueryResult, Value } from './result.ts'
import { columnOf, type TableColumn } from './spec.ts'
import { linkTo } from './text.ts'

/** Columns that a chart reads. All `numbers` must be numeric, and only `measured` uses the chart’s `format`. */
export function columnsRead(spec: ChartSpec) {
  const { shares = [], dates = [], others, ...rest } = chartOf(spec).columns(spec)
  const known = (names: readonly (string | null)[]) => names.filter((name) => name !== null)
  const numbers = known([...rest.measured, ...shares, ...(rest.numbers ?? [])])
  return {
    numbers,
    measured: known(rest.measured),
    shares,
    dates,
    all: [...numbers, ...dates, ...known(others)],
  }
}

/** Returns the rows and columns of a chart’s data table, with one column per series. */
export function dataOf(block: ChartBlock): ChartData {
  const columns = dataColumns(block)
  const column = (name: string) => columns.find((each) => each.column === name)!
  return pivoted(block, column) ?? { data: block.data, columns }
}

function dataColumns({ spec, data }: ChartBlock): TableColumn[] {
  const { measured, shares, all } = columnsRead(spec)
  const { drawn } = chartOf(spec).columns(spec)
  const used = all.filter((name) => name !== drawn)
  return data.columns
    .filter(({ name }) => used.includes(name))
    .map(({ name, type }) => ({
      ...columnOf(name),
      label: columnWords(name),
      format: measured.includes(name) ? spec.format : shares.includes(name) ? 'percent' : formatOf(type),
    }))
}

/** Converts a column name to a label: `tta_p25` becomes `time to acknowledge p25`, and `from_s` becomes `from`. */
function columnWords(name: string): string {
  const [start = '', ...rest] = name.replace(/_s$/, '').split('_')
  return [measures[start] ?? start, ...rest].join(' ').replace(/ (low|high|limit)$/, ' ($1)')
}

const measures: Record<string, string> = { tta: 'time to acknowledge', ttr: 'time to resolve' }

interface ChartData {
  data: QueryResult
  columns: readonly TableColumn[]
  /** Maps each row of a pivoted table to the query rows from which its cells come. */
  from?: ReadonlyMap<readonly Value[], readonly (readonly Value[])[]>
}

/** Returns the link of a cell. Without series, only the count column has links, or else the first column. */
export function dataLinks({ links, spec }: ChartBlock, { data, columns, from }: ChartData) {
  if (!from) {
    const counts = chartOf(spec).counts?.(spec)
    const counted = columns.findIndex(({ column }) => column === counts)
    const main = Math.max(0, counted)
    return (row: readonly Value[], column: number) => (column === main ? linkTo(links, [row]) : null)
  }
  // If several numbers of a row link to the same list, only the name of the row shows the link.
  const hrefs = data.rows.map((row) => from.get(row)!.map((cell) => linkTo(links, [cell])))
  const countOf = (all: (string | null)[]) => rollup(all, ({ length }) => length, String)
  const cells = countOf(hrefs.flat())
  const rows = countOf(hrefs.flatMap((row) => [...new Set(row)]))
  return (row: readonly Value[], column: number) => {
    const own = column > 0 ? from.get(row)![column - 1] : undefined
    const href = linkTo(links, own ? [own] : column === 0 ? from.get(row)! : [])
    const isOwn =
      href !== null && (column > 0 ? cells.get(href) === 1 : cells.get(href)! > 1 && rows.get(href) === 1)
    return isOwn ? href : null
  }
}

/** Pivots a query result to one row per value of `x` and one column per series. */
function pivoted({ spec, data }: ChartBlock, column: (name: string) => TableColumn): ChartData | null {
  const keys = chartOf(spec).series?.(spec)
  if (!keys) return null
  const at = (name: string) => data.columns.findIndex((each) => each.name === name)
  const [x, y, series] = [at(keys.x), at(keys.y), at(keys.by)]
  const partial = at('is_partial')
  const name = (value: Value | undefined) => String(value ?? '(none)')
  const names = inOrder(data.rows.map((row) => name(row[series])))
  const labels = names.map((each) => keys.label?.(each) ?? each)
  const from = new Map(
    [...group(data.rows, (row) => name(row[x])).values()].map((rows) => {
      const cells = names.map((each) => rows.findLast((row) => name(row[series]) === each) ?? [])
      const marks = partial < 0 ? [] : [rows[0]![partial] ?? null]
      return [[rows[0]![x] ?? null, ...cells.map((cell) => cell[y] ?? null), ...marks], cells] as const
    }),
  )
  const type = data.columns[y]!.type
  return {
    from,
    data: {
      ...data,
      // Series names come from incidents, so they are only labels. The column names are numbered instead.
      columns: [
        data.columns[x]!,
        ...names.map((_, index) => ({ name: `series_${index}`, type })),
        ...(partial < 0 ? [] : [data.columns[partial]!]),
      ],
      rows: [...from.keys()],
    },
    columns: [
      column(keys.x),
      ...labels.map((label, index) => ({ ...column(keys.y), column: `series_${index}`, label })),
    ],
  }
}
