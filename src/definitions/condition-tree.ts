import { closestMatch, unknownName } from '../errors.ts'
import { parseInstant } from '../settings/instant.ts'
import { listOf, type Tree, treeOf } from './parse-tree.ts'

/** Columns that are known when an incident starts, so that no condition can exclude incidents by their outcome. */
export const CONDITION_COLUMNS: Readonly<Record<string, Kind>> = {
  account_id: 'number',
  account_time_zone: 'text',
  channel_id: 'number',
  channel_name: 'text',
  created_at: 'time',
  creator_id: 'number',
  dedup_key: 'text',
  incident_id: 'text',
  incident_severity: 'text',
  integration_id: 'number',
  integration_type: 'text',
  start_time: 'time',
  team_id: 'number',
  team_name: 'text',
  title: 'text',
}

/** The kind of a value. NULL has the kind `any`, because it can be compared with values of every kind. */
export type Kind = 'text' | 'number' | 'boolean' | 'time' | 'any'

/** An error in a condition. `next` is advice for the user. */
export class Wrong extends Error {
  readonly next: string
  constructor(message: string, next: string) {
    super(message)
    this.next = next
  }
}

export const COMPARE = "Compare it with a value, such as channel_name = 'Soaking'."
export const PARTS =
  'A condition can contain columns, label.NAME, fields.NAME, constants, =, <, in, between, like, is null, and, or, not, case, casts and some functions.'

/** A node of the parse tree. `checked` modifies it in place. */
type Node = Record<string, unknown>

interface Value {
  readonly node: Node
  readonly kind: Kind
  readonly constant?: string
}

/** Allowed node classes of a condition, with their allowed properties. All others are rejected. */
const CLASSES: Readonly<Record<string, readonly string[]>> = {
  CONSTANT: ['value'],
  COLUMN_REF: ['column_names'],
  CAST: ['child', 'cast_type', 'try_cast'],
  COMPARISON: ['left', 'right'],
  CONJUNCTION: ['children'],
  BETWEEN: ['input', 'lower', 'upper'],
  OPERATOR: ['children'],
  CASE: ['case_checks', 'else_expr'],
  FUNCTION: ['function_name', 'schema', 'children', 'order_bys', 'is_operator'],
}

/**
 * Checks a parse tree, adds its labels and fields to `reads`, and rewrites times and columns so that they mean the same
 * in every session. @throws Wrong
 */
export function checked(node: Node, reads: Set<string>): Value {
  const of = (child: unknown) => checked(treeOf(child) as Node, reads)
  const known = CLASSES[String(node.class)]
  if (known === undefined) {
    throw new Wrong(`a condition cannot contain ${WORDS[String(node.class)] ?? 'this expression'}`, PARTS)
  }
  if (node.alias !== undefined) throw new Wrong('a condition cannot contain an alias', PARTS)
  const other = Object.keys(node).find((key) => ![...known, 'class', 'type', 'query_location'].includes(key))
  if (other !== undefined)
    throw new Wrong(`a condition cannot contain this clause (${other.replaceAll('_', ' ')})`, PARTS)
  const boolean: Value = { node, kind: 'boolean' }
  switch (node.class) {
    case 'CONSTANT':
      return constantOf(node, treeOf(node.value))
    case 'COLUMN_REF':
      return columnOf(node, (node.column_names as unknown[]).map(String), reads)
    case 'CAST':
      return castOf(node, of(node.child))
    case 'COMPARISON':
      alike([of(node.left), of(node.right)])
      return boolean
    case 'CONJUNCTION':
      booleans(listOf(node.children).map(of))
      return boolean
    case 'BETWEEN':
      alike([of(node.input), of(node.lower), of(node.upper)])
      return boolean
    case 'OPERATOR':
      return { node, kind: operatorOf(String(node.type), listOf(node.children).map(of)) }
    case 'CASE': {
      const checks = listOf(node.case_checks)
      booleans(checks.map((check) => of(check.when_expr)))
      return { node, kind: alike([...checks.map((check) => of(check.then_expr)), of(node.else_expr)]) }
    }
  }
  return { node, kind: functionOf(node, listOf(node.children).map(of)) }
}

const WORDS: Readonly<Record<string, string>> = {
  SUBQUERY: 'a subquery',
  WINDOW: 'a window function',
  LAMBDA: 'a lambda',
  STAR: 'a *',
  PARAMETER: 'a parameter',
}

function constantOf(node: Node, { is_null, type, value }: Tree): Value {
  const { id } = treeOf(type)
  if (is_null) return { node, kind: 'any' }
  if (id === 'BOOLEAN') return { node, kind: 'boolean' }
  // The parse tree omits the value of an empty string.
  if (id === 'VARCHAR') return put(node, textNode(String(value ?? '')), 'text', String(value ?? ''))
  const isSafe = typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER
  if (!isSafe) {
    throw new Wrong('a number is longer than 15 digits', "Compare texts: cast(channel_id as varchar) = '…'.")
  }
  // JSON.stringify writes 1e3 as 1000, which DuckDB cannot read back as a DOUBLE, so the constant becomes a BIGINT.
  if (id === 'DOUBLE' && Number.isInteger(value))
    return put(node, constant({ id: 'BIGINT' }, value), 'number')
  return { node, kind: 'number' }
}

function put(node: Node, other: Node, kind: Kind, text?: string): Value {
  for (const key of Object.keys(node)) delete node[key]
  Object.assign(node, other)
  return { node, kind, ...(text !== undefined && { constant: text }) }
}

const constant = (type: Tree, value: unknown): Node => ({
  class: 'CONSTANT',
  type: 'VALUE_CONSTANT',
  value: { type, is_null: false, value },
})
const textNode = (text: string) => constant({ id: 'VARCHAR' }, text)
const call = (name: string, children: readonly Node[]): Node => ({
  class: 'FUNCTION',
  type: 'FUNCTION',
  function_name: name,
  children,
})

const JSON_COLUMNS: Readonly<Record<string, string>> = { label: 'labels', fields: 'fields' }

function columnOf(node: Node, path: readonly string[], reads: Set<string>): Value {
  const [first = '', ...rest] = path
  const word = first.toLowerCase()
  if (rest.length === 0) {
    const kind = Object.hasOwn(CONDITION_COLUMNS, word) ? CONDITION_COLUMNS[word] : undefined
    if (kind) return put(node, { ...node, column_names: [word] }, kind)
    throw new Wrong(
      `unknown column "${first}"`,
      unknownName(word, [...Object.keys(CONDITION_COLUMNS), 'label.NAME', 'fields.NAME']),
    )
  }
  const json = Object.hasOwn(JSON_COLUMNS, word) ? JSON_COLUMNS[word] : undefined
  if (!json) {
    const meant = closestMatch(word, Object.keys(JSON_COLUMNS))
    throw new Wrong(
      `"${path.join('.')}" is not a column`,
      meant ?? 'Write label.NAME, fields.NAME, or a column name without a table.',
    )
  }
  const key = rest.join('.')
  reads.add(`${word}.${key}`)
  const pointer = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
  const column = { class: 'COLUMN_REF', type: 'COLUMN_REF', column_names: [json] }
  return put(node, call('json_extract_string', [column, textNode(pointer)]), 'text')
}

const CASTS: Readonly<Record<string, Kind>> = {
  VARCHAR: 'text',
  BOOLEAN: 'boolean',
  INTEGER: 'number',
  BIGINT: 'number',
  DOUBLE: 'number',
  DATE: 'time',
  TIMESTAMP: 'time',
  'TIMESTAMP WITH TIME ZONE': 'time',
}

/** Uses `try_cast`, so that a label with an unexpected value does not make the report fail. */
function castOf(node: Node, child: Value): Value {
  const { id } = treeOf(node.cast_type)
  const kind = CASTS[String(id)]
  if (kind === undefined) {
    throw new Wrong(
      `a condition cannot cast to ${String(id).toLowerCase()}`,
      'Cast to varchar, integer, bigint, double, boolean, date or timestamptz.',
    )
  }
  if (kind === 'time') {
    const { node: time } = child.kind === 'time' ? child : timeOf(child)
    return put(node, { ...time }, child.kind === 'any' ? 'any' : 'time')
  }
  if (child.kind === 'time')
    throw new Wrong('a time cannot be cast', "Compare it with another time: start_time < '2026-03-01'.")
  return { node: Object.assign(node, { cast_type: { id }, try_cast: true }), kind }
}

/** Converts a constant string to a time. Assumes UTC if the string contains no time zone. */
function timeOf(value: Value): Value {
  if (value.kind === 'any') return value
  const instant = parseInstant(value.constant ?? '')
  if (instant === undefined) {
    throw new Wrong(
      `${value.constant === undefined ? 'a value' : `"${value.constant}"`} is not a valid time`,
      "Write '2026-03-01' or '2026-03-01T08:00+01:00'.",
    )
  }
  const decimal = { id: 'DECIMAL', type_info: { type: 'DECIMAL_TYPE_INFO', width: 18, scale: 3 } }
  return put(value.node, call('to_timestamp', [constant(decimal, instant.ms)]), 'time')
}

export const fits = (kind: Kind, wanted: Kind) => kind === wanted || kind === 'any'

/** Returns the kind that all the values share. If some values are times, converts strings among the others to times. */
function alike(values: readonly Value[]): Kind {
  const kinds = new Set(values.map(({ kind }) => kind).filter((kind) => kind !== 'any'))
  if (kinds.size < 2) return [...kinds][0] ?? 'any'
  if (kinds.size > 2 || !kinds.has('time') || !kinds.has('text')) {
    throw new Wrong(
      `it compares ${[...kinds].map((kind) => `a ${kind}`).join(' with ')}`,
      'Put text in quotes. Convert text to a number with a cast, such as cast(label.size as integer).',
    )
  }
  for (const value of values) if (value.kind === 'text') timeOf(value)
  return 'time'
}

function booleans(values: readonly Value[]): Kind {
  const other = values.find(({ kind }) => !fits(kind, 'boolean'))
  if (other) throw new Wrong(`it uses a ${other.kind} as a condition`, COMPARE)
  return 'boolean'
}

function operatorOf(type: string, given: readonly Value[]): Kind {
  if (type === 'OPERATOR_NOT') return booleans(given)
  if (type === 'OPERATOR_IS_NULL' || type === 'OPERATOR_IS_NOT_NULL') return 'boolean'
  if (!['COMPARE_IN', 'COMPARE_NOT_IN', 'OPERATOR_COALESCE'].includes(type))
    throw new Wrong('a condition cannot contain this operator', PARTS)
  const kind = alike(given)
  return type === 'OPERATOR_COALESCE' ? kind : 'boolean'
}

/** Functions that conditions can use, by result kind. All are deterministic. DuckDB checks the argument types. */
const FUNCTIONS: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  text: ['concat', 'lower', 'nullif', 'regexp_extract', 'replace', 'split_part', 'trim', 'upper', '||'],
  number: ['length'],
  boolean: [
    ...['~~', '!~~', '~~*', '!~~*', 'like_escape', 'not_like_escape', 'ilike_escape', 'not_ilike_escape'],
    ...['contains', 'ends_with', 'regexp_full_match', 'regexp_matches', 'starts_with'],
  ],
}

function functionOf(node: Node, given: readonly Value[]): Kind {
  const name = String(node.function_name).toLowerCase()
  const [gives] = Object.entries(FUNCTIONS).find(([, names]) => names.includes(name)) ?? []
  if (gives === undefined) {
    const known = Object.values(FUNCTIONS)
      .flat()
      .filter((one) => /^[a-z]/.test(one) && !one.endsWith('_escape'))
    throw new Wrong(
      `a condition cannot use the function "${name}"`,
      unknownName(name, [...known, 'coalesce']),
    )
  }
  // The pattern must be a constant, because an invalid pattern in a row would make the report fail.
  if (/^regexp|escape$/.test(name) && given.slice(1).some((value) => value.constant === undefined))
    throw new Wrong(`the pattern of "${name}" is not a constant`, 'Write the pattern as a text in quotes.')
  delete node.schema
  return gives as Kind
}
