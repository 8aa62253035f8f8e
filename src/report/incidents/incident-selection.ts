import { createHash } from 'node:crypto'
import { quoteIdentifier, quoteLiteral } from '../../definitions/quote.ts'
import type { Cells } from '../../render/cells.ts'
import type { Measure, Value } from '../../render/result.ts'
import type { Condition, Plan, Source } from './link-spec.ts'

/** A condition on incidents. If `isOfRow`, the value comes from the table row that contains the number. */
export type Test =
  | { readonly column: string; readonly is: readonly (string | null)[]; readonly isOfRow: boolean }
  | { readonly column: string; readonly from: number | null; readonly to: number | null }
  | { readonly column: string; readonly known: true }
  /** The column contains lists. An incident matches if its list contains the value of `has`. */
  | { readonly column: string; readonly has: string }
  | { readonly sql: string }

/** Selects the incidents or pages behind a number. */
export interface Bucket {
  readonly of: Source
  readonly tests: readonly Test[]
  /** If the number is a share: the SQL condition of the incidents that it counts. */
  readonly share?: string | null
}

/** Returns the conditions for the incidents behind a number in `row`. Null if an end of a range is unknown. */
export function bucketOf(
  { of, conditions, share }: Plan,
  row: readonly Value[],
  cells: Cells,
): Bucket | null {
  const tests = conditions.map((one) => testOf(one, row, cells))
  return tests.includes(null) ? null : { of, tests: tests as Test[], share }
}

function testOf(condition: Condition, row: readonly Value[], cells: Cells): Test | null {
  if ('sql' in condition || 'known' in condition) return condition
  const { column } = condition
  if ('is' in condition)
    return { column, is: condition.is.map((one) => (one === null ? null : String(one))), isOfRow: false }
  if ('cell' in condition) {
    const value = cells.value(row, condition.cell)
    if (condition.isList) return { column, has: String(value) }
    return { column, is: [value === null ? null : String(value)], isOfRow: true }
  }
  const ends = condition.ends.map((end) =>
    typeof end === 'object' && end !== null ? (cells.number(row, end.cell) ?? Number.NaN) : end,
  )
  const [from = null, to = null] = ends
  return ends.some((end) => Number.isNaN(end)) ? null : { column, from, to }
}

export function sqlOf({ tests }: Bucket): string {
  return ['true', ...tests.map(testSql)].join(' and ')
}

function testSql(test: Test): string {
  if ('sql' in test) return `(${test.sql}\n)`
  const column = quoteIdentifier(test.column)
  if ('known' in test) return `${column} is not null`
  if ('has' in test) return `list_contains(${column}, ${textSql(test.has)})`
  if ('is' in test) {
    // Compares values as text, because the column can have any type.
    const texts = test.is.filter((one) => one !== null).map(textSql)
    const some = texts.length > 0 ? [`${column}::varchar in (${texts.join(', ')})`] : []
    return `(${[...some, ...(test.is.includes(null) ? [`${column} is null`] : [])].join(' or ')})`
  }
  const { from, to } = test
  const number = (value: number) => `'${value}'::double`
  // A histogram column can stand for a single value, such as 0.
  if (from !== null && from === to) return `${column} = ${number(from)}`
  return [
    `${column} is not null`,
    ...(from === null ? [] : [`${column} >= ${number(from)}`]),
    ...(to === null ? [] : [`${column} < ${number(to)}`]),
  ].join(' and ')
}

/** Quotes a text for SQL. Replaces NUL characters with `chr(0)`, because SQL cannot contain them. */
function textSql(text: string): string {
  return text.split('\0').map(quoteLiteral).join(' || chr(0) || ')
}

/** Returns the same key for all buckets with the same conditions. */
export function keyOf({ of, tests, share = null }: Bucket): string {
  return `${of}: ${tests.map(testSql).sort().join(' and ')}${share === null ? '' : `: ${share}`}`
}

/** For a share, returns the condition of the incidents that are listed first. Otherwise null. */
export function markOf({ tests, share }: Bucket): { as: 'late' | 'counted'; sql: string } | null {
  for (const test of tests) {
    if ('has' in test && test.column === 'decided_targets')
      return { as: 'late', sql: `list_contains(missed_targets, ${textSql(test.has)})` }
    if ('is' in test && test.is.toSorted().join() === 'met,missed')
      return { as: 'late', sql: `${test.column} = 'missed'` }
  }
  if (!share) return null
  const isTarget = /\b(ack|resolve)_outcome\b/.test(share)
  return isTarget ? { as: 'late', sql: `not (${share}\n)` } : { as: 'counted', sql: `(${share}\n)` }
}

/** Returns a text for a file name, which is not necessarily unique. `caption` is the name of the number. */
export function slugOf({ of, tests, share }: Bucket, caption: string): string {
  const parts = tests.flatMap((test) => {
    if ('sql' in test) return [wordOf(caption || test.sql)]
    const column = test.column.replace(/_(name|s)$/, '').replaceAll('_', '-')
    if ('known' in test) return [`${column}-known`]
    if ('has' in test) return [`${column}-${wordOf(test.has)}`]
    if (!('is' in test)) return [`${column}-${end(test.from)}-to-${end(test.to)}`]
    if (test.column === 'period') return test.is[0] === 'current' ? [] : [test.is.join('-or-')]
    const [first] = test.is
    if (test.column === 'holders') return [`person-${hashOf(String(first))}`]
    if (first === 'true' || first === 'false') return [first === 'true' ? column : `not-${column}`]
    return [`${column}-${test.is.map((one) => wordOf(one ?? 'none')).join('-or-')}`]
  })
  if (share && !tests.some((test) => 'sql' in test)) parts.push(wordOf(caption))
  const words = [...(of === 'pages' ? ['pages'] : []), ...parts].join('_') || 'all'
  return words.length <= MOST ? words : `${words.slice(0, MOST)}-${hashOf(words)}`
}

const MOST = 120
const end = (value: number | null) => (value === null ? 'any' : String(Math.round(value)))

function wordOf(text: string): string {
  const plainer = text.toLowerCase().trim().replaceAll(' ', '-')
  const word = plainer
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
  return word === plainer && word !== '' ? word : [word, hashOf(text)].filter(Boolean).join('-')
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 6)
}

/** Durations by which a list can be sorted. The first one whose pattern matches a condition is used. */
const subjects: readonly (readonly [Measure, RegExp])[] = [
  ['time_to_ack_s', /^(ack_outcome|acknowledge|acknowledged|is_acknowledged|is_waiting|time_to_ack_s)$/],
  ['tta', /^tta$/],
  ['ttr', /^(ttr|time_to_resolve_s)$/],
  ['ttr_all', /^(ttr_all|time_to_close_s|resolve_outcome|resolve)$/],
  ['recover', /^(recover|self_healed)$/],
  ['lasted_s', /^(lasted_s|survival_s|is_open)$/],
]

/** Returns the duration by which a list is sorted. Null if the list has another order. */
export function measureOf({ of, tests, share }: Bucket): Measure | null {
  if (of === 'pages') return null
  const words = [...tests, ...(share ? [{ sql: share }] : [])].flatMap((test) => {
    if ('sql' in test) return test.sql.toLowerCase().match(/\w+/g) ?? []
    return 'has' in test ? test.has.split(' ') : [test.column]
  })
  return subjects.find(([, word]) => words.some((one) => word.test(one)))?.[0] ?? null
}
