import { ReportError, unknownName } from '../errors.ts'
import type { QueryColumn } from '../render/result.ts'
import type { Place, Tell } from './parse/mistakes.ts'
import { type Report, textsOf } from './parse/parse.ts'
import { readsOf } from './parse/reads.ts'
import { tagsOf } from './parse/template.ts'
import { isSample } from './resolve/figure.ts'
import { measureOf, type Shapes } from './resolve/figures.ts'

interface Check {
  shapes: Shapes
  tell: Tell
}

/** Checks that every tag, chart, table, card and condition reads what is there, and tells once where one does not. */
export function compile(report: Report, shapes: Shapes, tell: Tell): void {
  const told = new Set<string>()
  const check: Check = {
    shapes,
    tell(mistake) {
      const key = `${mistake.line} ${mistake.message}`
      if (!told.has(key)) tell(mistake)
      told.add(key)
    },
  }
  for (const { query, column, at } of readsOf(report)) {
    if (column === null) columnsOf(query, at, check)
    else checkColumn(query, column, at, check)
  }
  for (const { query, column, as, at } of textsOf(report).flatMap(tagsOf)) {
    if (!shapes.get(query)?.some(({ name }) => name === column)) continue
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
