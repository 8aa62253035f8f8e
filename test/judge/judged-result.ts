import { type Figures, figuresOf } from '../../src/judge/figures.ts'
import type { QueryResult, Value } from '../../src/render/result.ts'
import { sampleKind } from '../../src/report/figure-sample.ts'
import { parseReport } from '../../src/report/parse/parse.ts'
import { frameSql } from '../../src/report/scope/frame-sql.ts'
import type { Session } from '../../src/warehouse/read/session.ts'

/** The result of a query `q`, and the comparison of one of its columns by the macros of `sql/`. */
export interface JudgedResult {
  result: QueryResult
  figures: Figures
}

/** The type that each macro of `reports/frame/macros.sql` returns. */
const samples: Readonly<Record<string, string>> = {
  times_of: 'STRUCT(place BIGINT, seconds DOUBLE, is_open BOOLEAN, part UTINYINT, n BIGINT)[]',
  weeks_of: 'MAP(BIGINT, BIGINT)',
  earlier_weeks_of: 'MAP(BIGINT, BIGINT)',
  share_weeks_of: 'STRUCT(hits MAP(BIGINT, BIGINT), n MAP(BIGINT, BIGINT))',
}

/**
 * Stores rows as the result of a query `q`.
 * @param columns names with DuckDB types, or with a key of `samples`
 * @param weeks incidents by week of either period, for the dispersion. They add up to the figure if it is an integer
 * @param earlier the same for the weeks of history
 */
export async function judgedResult(
  session: Session,
  columns: Record<string, string>,
  rows: readonly (readonly Value[])[],
  column: string,
  weeks: readonly number[] = [25, 25, 25, 25],
  earlier: readonly number[] = [],
  isComparable = true,
): Promise<JudgedResult> {
  const literal = (value: Value): string =>
    Array.isArray(value)
      ? `[${value.map(literal).join(', ')}]`
      : typeof value === 'string'
        ? value.startsWith('{')
          ? value.replace(/^\{(map\(.*)\}$/, '$1')
          : `'${value}'`
        : String(value)
  const typed = (value: Value, type: string): string =>
    type in samples ? `{'${type}': ${typed(value, samples[type]!)}}` : `${literal(value)}::${type}`
  const selects = rows.map((row) =>
    Object.entries(columns).map(([name, type], index) => `${typed(row[index]!, type)} as "${name}"`),
  )
  await session.keep('q', selects.map((row) => `select ${row.join(', ')}`).join(' union all '))
  const periods = "(values ('current'), ('previous')) as p (period)"
  const names = Object.keys(columns)
  const spread = (period: string) => {
    const value = Number(rows.find((row) => row[names.indexOf('period')] === period)?.[names.indexOf(column)])
    const all = weeks.reduce((sum, count) => sum + count, 0)
    const sum = Number.isInteger(value) ? value : all
    const upTo = (week: number) =>
      Math.round((sum * weeks.slice(0, week).reduce((total, count) => total + count, 0)) / all)
    return weeks.flatMap((_, week) => Array.from({ length: upTo(week + 1) - upTo(week) }, () => week))
  }
  await session.keep(
    'scoped_kept',
    `select period, timestamp '2026-01-05' as counted_local, unnest(case period when 'current' then [${spread('current')}] else [${spread('previous')}] end::int[]) as place from ${periods}
    union all select 'earlier', null, unnest([${earlier.flatMap((count, week) => Array.from({ length: count }, () => week))}]::int[])`,
  )
  await session.keep('scoped_periods', `select period from ${periods}`)
  await session.define(frameSql('macros'))
  await session.keep(
    'scoped_silences',
    "select 0 as days, date '2026-01-01' as from_day, 0 as in_current, 0 as in_previous limit 0",
  )
  await session.keep(
    'scoped_places',
    `select period, unnest(range(${weeks.length})) as place, 7.0::double as days, true as is_read from ${periods}
    union all select 'earlier', unnest(range(${earlier.length})), 7.0, true`,
  )
  const { columns: shape } = await session.query('from q limit 0')
  const shown = shape.filter((each) => sampleKind(each) === null)
  const answer = await session.query(`select ${shown.map(({ name }) => `"${name}"`).join(', ')} from q`)
  const report = parseReport(
    `---\ntitle: T\n---\n\`\`\`kpi\n- { label: L, value: q.${column}, format: number }\n\`\`\`\n`,
    'r.md',
  )
  return {
    result: { name: 'q', sql: '', ...answer },
    figures: await figuresOf(session, report, new Map([['q', shape]]), isComparable),
  }
}
