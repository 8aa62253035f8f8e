import { ReportError, unknownName } from '../errors.ts'
import { chartColumns } from '../render/chart-spec.ts'
import type { QueryColumn } from '../render/result.ts'
import type { Place, Tell } from './parse/mistakes.ts'
import { type BlockSource, type Report, textsOf } from './parse/parse.ts'
import { type Tag, tagsOf } from './parse/template.ts'
import { isSample } from './resolve/figure.ts'
import { measureOf, type Shapes } from './resolve/figures.ts'
import { readsOfCondition } from './resolve/judge-gates.ts'

interface Check {
  shapes: Shapes
  tell: Tell
}

/** Checks that every tag, chart, table, card and condition reads what is there, and tells where one does not. */
export function compile(report: Report, shapes: Shapes, tell: Tell): void {
  const check: Check = { shapes, tell }
  for (const { condition, at } of report.gates) {
    for (const { query, column } of readsOfCondition(condition)) {
      if (column === null) columnsOf(query, at, check)
      else checkColumn(query, column, at, check)
    }
  }
  checkTags(textsOf(report).flatMap(tagsOf), check)
  for (const piece of report.pieces) {
    if ('at' in piece && piece.kind !== 'findings') checkBlock(piece, check)
  }
}

function checkBlock(piece: Exclude<BlockSource, { kind: 'findings' }>, check: Check): void {
  if (piece.kind === 'kpis') {
    for (const { value, n, trend, target } of piece.cards) {
      for (const reference of [value, n, trend, target])
        if (typeof reference === 'object') checkColumn(reference.query, reference.column, piece.at, check)
      if (trend && check.shapes.has(trend.query)) checkColumn(trend.query, 'week', piece.at, check)
    }
    return
  }
  const { data } = piece.body
  const columns =
    piece.kind === 'chart'
      ? chartColumns(piece.body)
      : (piece.body.columns ?? []).flatMap(({ column, link, n, open, interval }) =>
          [column, link, n, open, ...(interval ?? [])].filter((name) => name !== null),
        )
  if (columnsOf(data, piece.at, check)) {
    if (piece.body.incidents !== null) columns.push(piece.body.incidents)
    for (const column of columns) checkColumn(data, column, piece.at, check)
  }
  if (piece.kind === 'chart')
    for (const rule of piece.body.rules) checkColumn(rule.query, rule.column, piece.at, check)
}

function checkTags(tags: readonly Tag[], check: Check): void {
  for (const { query, column, as, at } of tags) {
    if (!checkColumn(query, column, at, check)) continue
    if (as.kind === 'usual') checkColumn(query, 'week', at, check)
    if (as.kind === 'change') checkChange(query, column, at, check)
  }
}

function checkChange(query: string, column: string, at: Place, { shapes, tell }: Check): void {
  const columns = shapes.get(query)!
  if (!columns.some(({ name }) => name === 'period')) {
    tell(
      new ReportError(`A change of ${query}.${column} needs both periods.`, at, {
        next: 'Add `period` to the query and group by it.',
      }),
    )
  } else if (!measureOf(columns, column)) {
    tell(
      new ReportError(`Nothing says how a change of ${query}.${column} is to be judged.`, at, {
        next: `For a duration add the column ${column}_sample, times(…) of the values; for a share add ${column}_n, what it is a share of.`,
      }),
    )
  }
}

/** Null when there is no such query, which is reported, or when it failed, which was reported before. */
function columnsOf(query: string, at: Place, { shapes, tell }: Check): readonly QueryColumn[] | null {
  const columns = shapes.get(query)
  if (columns === undefined) {
    tell(
      new ReportError(`There is no query "${query}" in this report.`, at, {
        next: unknownName(query, shapes.keys()),
      }),
    )
  }
  return columns ?? null
}

/** Whether the query is known to have the column; when it is known not to have it, that is reported. */
function checkColumn(query: string, column: string, at: Place, check: Check): boolean {
  const names = columnsOf(query, at, check)?.map(({ name }) => name)
  if (!names) return false
  if (names.includes(column)) return true
  check.tell(
    new ReportError(`The query "${query}" has no column "${column}".`, at, {
      next: unknownName(
        column,
        names.filter((name) => !isSample(name)),
      ),
    }),
  )
  return false
}
