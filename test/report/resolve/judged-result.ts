import type { QueryResult, Value } from '../../../src/render/result.ts'
import { parseReport } from '../../../src/report/parse/parse.ts'
import { isSample } from '../../../src/report/resolve/figure.ts'
import { type Figures, figuresOf } from '../../../src/report/resolve/figures.ts'
import type { Session } from '../../../src/warehouse/read/reader.ts'

/** A result of one query, `q`, as the engine has it, and what the macros of `sql/` say of one of its columns. */
export interface JudgedResult {
  result: QueryResult
  figures: Figures
}

/**
 * Keeps rows as the result of a query `q`; `columns` are names with DuckDB's types.
 * @param weeks incidents in each week of either period, which say how much counts vary anyway
 */
export async function judgedResult(
  session: Session,
  columns: Record<string, string>,
  rows: readonly (readonly Value[])[],
  column: string,
  weeks: readonly number[] = [25, 25, 25, 25],
): Promise<JudgedResult> {
  const literal = (value: Value): string =>
    Array.isArray(value)
      ? `[${value.map(literal).join(', ')}]`
      : typeof value === 'string'
        ? value.startsWith('{')
          ? value.replace(/^\{(map\(.*)\}$/, '$1')
          : `'${value}'`
        : String(value)
  const selects = rows.map((row) =>
    Object.entries(columns).map(([name, type], index) => `${literal(row[index]!)}::${type} as "${name}"`),
  )
  await session.keep('q', selects.map((row) => `select ${row.join(', ')}`).join(' union all '))
  const all = weeks.flatMap((count, week) => Array.from({ length: count }, () => week))
  const periods = "(values ('current'), ('previous')) as p (period)"
  await session.keep('scoped_times', `select period, unnest([${all}]::int[]) as place from ${periods}`)
  await session.keep(
    'scoped_places',
    `select period, unnest(range(${weeks.length})) as place, 7.0::double as days from ${periods}`,
  )
  const { columns: shape } = await session.query('from q limit 0')
  const shown = shape.filter(({ name }) => !isSample(name))
  const answer = await session.query(`select ${shown.map(({ name }) => `"${name}"`).join(', ')} from q`)
  const report = parseReport(
    `---\ntitle: T\n---\n\`\`\`kpi\n- { label: L, value: q.${column}, format: number }\n\`\`\`\n`,
    'r.md',
  )
  return {
    result: { name: 'q', sql: '', ...answer },
    figures: await figuresOf(session, report, new Map([['q', shape]])),
  }
}
