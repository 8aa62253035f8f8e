import { ReportError } from '../errors.ts'
import type { Column } from '../render/result.ts'
import { unknownName } from '../suggest.ts'
import type { Reference } from './block-schema.ts'
import { measureOf } from './change.ts'
import { chartColumns, chartSpec } from './chart-spec.ts'
import { isSample } from './figure.ts'
import type { Exhibit, Report } from './parse.ts'
import type { Place, Tag } from './tag.ts'
import { tagsOf } from './template.ts'

/** The columns of every query of a report, by the query's name. */
export type Shapes = ReadonlyMap<string, readonly Column[]>

/** Checks that every tag, chart, table and card reads what is there. Throws `ReportError` for the first that does not. */
export function compile({ pieces }: Report, shapes: Shapes): void {
  for (const piece of pieces) {
    if (piece.kind === 'heading' || piece.kind === 'paragraph') checkTags(tagsOf(piece.content), shapes)
    else if (piece.kind === 'list') checkTags(piece.items.flatMap(tagsOf), shapes)
    else checkExhibit(piece, shapes)
  }
}

function checkExhibit(piece: Exhibit, shapes: Shapes): void {
  if (piece.kind === 'kpis') {
    for (const { value, n, trend } of piece.cards) {
      for (const reference of [value, n, trend]) if (reference) checkReference(reference, piece.at, shapes)
      if (trend) checkColumn(trend.query, 'week', piece.at, shapes)
    }
    return
  }
  checkTags([...tagsOf(piece.title), ...tagsOf(piece.subtitle)], shapes)
  const { data } = piece.body
  const columns =
    piece.kind === 'chart'
      ? chartColumns(chartSpec(piece.body))
      : (piece.body.columns ?? []).flatMap(({ column, link }) => (link ? [column, link] : [column]))
  checkQuery(data, piece.at, shapes)
  for (const column of columns) checkColumn(data, column, piece.at, shapes)
  if (piece.kind === 'chart') for (const rule of piece.body.rules) checkReference(rule, piece.at, shapes)
}

function checkTags(tags: readonly Tag[], shapes: Shapes): void {
  for (const { query, column, as, at } of tags) {
    checkQuery(query, at, shapes)
    checkColumn(query, column, at, shapes)
    if (as.kind === 'usual') checkColumn(query, 'week', at, shapes)
    if (as.kind === 'change') checkChange(query, column, at, shapes)
  }
}

function checkChange(query: string, column: string, at: Place, shapes: Shapes): void {
  const columns = shapes.get(query)!
  if (!columns.some(({ name }) => name === 'period')) {
    throw new ReportError(`A change of ${query}.${column} needs both periods.`, at, {
      next: 'Add `period` to the query and group by it.',
    })
  }
  if (measureOf(columns, column)) return
  throw new ReportError(`Nothing says how a change of ${query}.${column} is to be judged.`, at, {
    next: `For a duration add the column ${column}_sample, list(…) of the values; for a share add ${column}_n, what it is a share of.`,
  })
}

function checkReference({ query, column }: Reference, at: Place, shapes: Shapes): void {
  checkQuery(query, at, shapes)
  checkColumn(query, column, at, shapes)
}

function checkQuery(query: string, at: Place, shapes: Shapes): void {
  if (shapes.has(query)) return
  throw new ReportError(`There is no query "${query}" in this report.`, at, {
    next: unknownName(query, shapes.keys()),
  })
}

function checkColumn(query: string, column: string, at: Place, shapes: Shapes): void {
  const names = shapes.get(query)!.map(({ name }) => name)
  if (names.includes(column)) return
  throw new ReportError(`The query "${query}" has no column "${column}".`, at, {
    next: unknownName(
      column,
      names.filter((name) => !isSample(name)),
    ),
  })
}
