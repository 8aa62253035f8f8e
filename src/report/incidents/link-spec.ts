import { ReportError, unknownName } from '../../errors.ts'
import { formatOf } from '../../render/format.ts'
import type { QueryColumn } from '../../render/result.ts'
import type { Fixed, Mapping } from '../../render/spec.ts'
import type { Place, Tell } from '../parse/report-errors.ts'

/** The kinds of lists. `relation` contains their rows, which come from the report’s incidents or pages in `from`. */
export const sources = {
  incidents: {
    relation: 'all_incidents',
    of: 'incident',
    from: 'scoped_incidents',
    at: 'start_time',
    order: 'severity_rank(severity), lasted_s desc nulls last',
  },
  pages: { relation: 'all_pages', of: 'page', from: 'scoped_pages', at: 'paged_at', order: 'paged_at desc' },
} as const
export type Source = keyof typeof sources

/** A condition of an `incidents:` field. `cell` is a query column whose value in a row must match `column`. */
export type Condition =
  | { readonly column: string; readonly is: readonly (Fixed | null)[] }
  | { readonly column: string; readonly cell: string; readonly isList: boolean }
  | { readonly column: string; readonly ends: readonly [End, End] }
  | { readonly column: string; readonly known: true }
  | { readonly sql: string }

type End = number | null | { readonly cell: string }

/** A checked `incidents:` field of a report. */
export interface Plan {
  readonly of: Source
  readonly conditions: readonly Condition[]
  readonly share: string | null
}

const outcomes = ['met', 'missed', 'pending', 'ended_early']
const severities = ['Critical', 'Warning', 'Info', 'Ok']
/** Constants that authors can write for a column. They take precedence over query columns with the same name. */
const closed: Readonly<Record<string, readonly string[]>> = {
  period: ['current', 'previous', 'running', 'any'],
  band: ['work', 'off', 'sleep'],
  ack_outcome: outcomes,
  resolve_outcome: outcomes,
  severity: severities,
  incident_severity: severities,
}

export function sourceOf({ of }: Mapping): Source {
  return of === 'pages' ? of : (Object.keys(sources)[0] as Source)
}

/** Checks an `incidents:` field and reports unknown columns. @param listed columns of the incident list */
export function planOf(
  mapping: Mapping,
  query: { readonly name: string; readonly columns: readonly QueryColumn[] },
  listed: readonly QueryColumn[],
  at: Place,
  tell: Tell,
): Plan {
  const { of, where, share, ...written } = mapping
  const names = query.columns.map(({ name }) => name)
  const mistake = (message: string, word: string, known: readonly string[]) =>
    tell(new ReportError(message, at, { next: unknownName(word, known) }))
  if (of !== undefined && !Object.keys(sources).includes(String(of)))
    mistake(`Unknown kind of list "${String(of)}".`, String(of), Object.keys(sources))
  const cellOf = (key: string, name: string): string => {
    const [not, nor] = closed[key] ? ['neither', ` nor a known ${key}`] : ['not', '']
    const message = `"${name}" in \`incidents\` is ${not} a column of the query "${query.name}"${nor}.`
    if (!names.includes(name)) mistake(message, name, [...names, ...(closed[key] ?? [])])
    return name
  }
  const isNumber = (column: string) =>
    ['number', 'duration'].includes(formatOf(listed.find(({ name }) => name === column)?.type ?? ''))
  const condition = (column: string, value: Mapping[string]): Condition => {
    if (value === 'known') return { column, known: true }
    if (Array.isArray(value)) {
      const [from = null, to = null] = value
      if (!isNumber(column) || value.length !== 2) return { column, is: value }
      const end = (one: Fixed | null): End =>
        typeof one === 'string' ? { cell: cellOf(column, one) } : Number(one)
      return { column, ends: [from === null ? null : end(from), to === null ? null : end(to)] }
    }
    const one = value as Fixed
    if (typeof one !== 'string' || closed[column]?.includes(one)) return { column, is: [one] }
    const isList = listed.find(({ name }) => name === column)?.type.endsWith('[]') ?? false
    return { column, cell: cellOf(column, one), isList }
  }
  const conditions = Object.entries(written).map(([column, value]) => {
    const known = listed.map(({ name }) => name)
    if (!known.includes(column))
      mistake(`Lists of ${sourceOf(mapping)} have no column "${column}".`, column, known)
    return condition(column, value)
  })
  const isAny = (one: Condition) => 'is' in one && one.column === 'period' && one.is[0] === 'any'
  const all: Condition[] = conditions.filter((one) => !isAny(one))
  if (typeof where === 'string') all.push({ sql: where })
  if (names.includes('period') && !('period' in written))
    all.push({ column: 'period', cell: 'period', isList: false })
  else if (!('period' in written)) all.push({ column: 'period', is: ['current'] })
  return { of: sourceOf(mapping), conditions: all, share: typeof share === 'string' ? share : null }
}
