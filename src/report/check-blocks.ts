import { ReportError, unknownName } from '../errors.ts'
import type { QueryColumn } from '../render/result.ts'
import { makerOf, measureOf, sampleKind } from './figure-sample.ts'
import { type Need, type Read, readsOf } from './parse/column-requirements.ts'
import { type Report, textsOf } from './parse/parse.ts'
import type { Place, Tell } from './parse/report-errors.ts'
import { tagsOf } from './parse/template.ts'

/** The columns of each query, by query name. Null for a failed query. */
export type Shapes = ReadonlyMap<string, readonly QueryColumn[] | null>

interface Check {
  shapes: Shapes
  tell: Tell
}

/** Checks that the columns which blocks and tags read exist and have suitable types. */
export function compile(report: Report, shapes: Shapes, tell: Tell): void {
  const check = { shapes, tell }
  for (const read of readsOf(report)) {
    const { query, column, at } = read
    const columns = column === null ? columnsOf(query, at, check) : null
    if (column !== null && checkColumn(query, column, at, check)) checkType(read, column, check)
    // A table without `columns` shows all columns except samples.
    if (columns && showsAll(report, read))
      for (const one of columns.filter((each) => sampleKind(each) === null)) checkType(read, one.name, check)
  }
  for (const { query, column, as, at } of textsOf(report).flatMap(tagsOf)) {
    if (!shapes.get(query)?.some(({ name }) => name === column)) continue
    if (as.kind === 'usual') checkColumn(query, 'week', at, check)
    if (as.kind === 'change') checkChange(query, column, at, check)
  }
}

function showsAll({ pieces }: Report, { at }: Read): boolean {
  return pieces.some((piece) => piece.kind === 'table' && piece.at === at && !piece.body.columns)
}

function checkChange(query: string, column: string, at: Place, { shapes, tell }: Check): void {
  const columns = shapes.get(query)!
  if (!columns.some(({ name }) => name === 'period')) {
    const next = 'Add `period` to the query and group by it.'
    tell(new ReportError(`A change in ${query}.${column} requires both periods.`, at, { next }))
  } else if (!measureOf(columns, column)) {
    const next = `For a duration, add the column ${column}_sample with times(…) of the values. For a share, add the column ${column}_n with its base.`
    tell(new ReportError(`The query has no data for testing a change in ${query}.${column}.`, at, { next }))
  }
}

/** Returns null for a failed query, and for an unknown query, which is reported. */
function columnsOf(query: string, at: Place, { shapes, tell }: Check): readonly QueryColumn[] | null {
  const columns = shapes.get(query)
  if (columns === undefined)
    tell(new ReportError(`Unknown query "${query}".`, at, { next: unknownName(query, shapes.keys()) }))
  return columns ?? null
}

function checkColumn(query: string, column: string, at: Place, check: Check): boolean {
  const columns = columnsOf(query, at, check)
  if (!columns) return false
  if (columns.some(({ name }) => name === column)) return true
  const shown = columns.filter((each) => sampleKind(each) === null).map(({ name }) => name)
  const next = unknownName(column, shown)
  check.tell(new ReportError(`The query "${query}" has no column "${column}".`, at, { next }))
  return false
}

function checkType({ query, needs, by, axes, at }: Read, column: string, { shapes, tell }: Check): void {
  const found = shapes.get(query)!.find(({ name }) => name === column)!
  const kind = sampleKind(found)
  if (kind === null && fits[needs](found.type)) return
  const what = kind ? `a result of ${makerOf(kind)}(…)` : typeName(found.type)
  const message = `A ${by} requires ${wanted[needs]}, but the column "${column}" of the query "${query}" is ${what}.`
  const next = kind
    ? 'Such columns are used only for intervals and verdicts. Choose another column.'
    : nextFor(column, needs, found.type, axes)
  tell(new ReportError(message, at, { next }))
}

const wanted: Record<Need, string> = {
  value: 'single values',
  number: 'numbers',
  numbers: 'a list of numbers',
  date: 'dates along x',
}

const number = /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL\(.*\)|BIGNUM)$/

const fits: Record<Need, (type: string) => boolean> = {
  value: (type) => !/\]$|^(STRUCT|MAP|UNION)\(/.test(type),
  number: (type) => number.test(type),
  date: (type) => /^(DATE|TIMESTAMP)/.test(type),
  numbers: (type) => number.test(type.replace(/\[\d*\]$/, '')) && type.endsWith(']'),
}

function typeName(type: string): string {
  if (type.endsWith(']')) return 'a list'
  if (type.startsWith('STRUCT(')) return 'a struct'
  if (type.startsWith('MAP(')) return 'a map'
  return type === 'VARCHAR' ? 'text' : `of type ${type}`
}

function nextFor(column: string, needs: Need, type: string, axes: string | null): string {
  if (needs === 'date')
    return `Choose a column of dates, such as week, or convert a year with make_date(${column}, 1, 1). For names, use the chart type columns or bars.`
  if (needs === 'numbers') return `Remove \`spark\`, or use a list, such as list(${column} order by week).`
  if (type.endsWith(']') && needs === 'value')
    return `Convert it to text with array_to_string(${column}, ', '). A table draws a list of numbers with \`spark: true\`.`
  if (type.endsWith(']'))
    return `Choose a column of numbers, or one element of the list, such as ${column}[1].`
  const [, field = 'name'] = /^STRUCT\("(\w+)"/.exec(type) ?? []
  if (type.startsWith('STRUCT(')) return `Select one of its fields, such as ${column}.${field}.`
  if (type.startsWith('MAP(')) return `Select one of its values, such as ${column}['key'].`
  return axes ?? `Choose a column of numbers, or convert this one with ${column}::double.`
}
