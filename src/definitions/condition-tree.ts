import { closestMatch, unknownName } from '../errors.ts'
import { parseInstant } from '../settings/instant.ts'
import { COMPARE, CONDITION_COLUMNS, type Kind, PARTS, Wrong } from './condition-grammar.ts'
import { listOf, type Tree, treeOf } from './parse-tree.ts'
import { quoteIdentifier, quoteLiteral } from './quote.ts'

interface Value {
  readonly sql: string
  readonly kind: Kind
  /** Of a constant its text. */
  readonly constant?: string
}

interface Context {
  readonly reads: Set<string>
}

const COMPARISONS: Readonly<Record<string, string>> = {
  COMPARE_EQUAL: '=',
  COMPARE_NOTEQUAL: '<>',
  COMPARE_LESSTHAN: '<',
  COMPARE_GREATERTHAN: '>',
  COMPARE_LESSTHANOREQUALTO: '<=',
  COMPARE_GREATERTHANOREQUALTO: '>=',
  COMPARE_DISTINCT_FROM: 'is distinct from',
  COMPARE_NOT_DISTINCT_FROM: 'is not distinct from',
}

/** A part of a condition made again, with what it is. @throws Wrong */
export function compileCondition(node: Tree, context: Context): Value {
  const of = (child: unknown) => compileCondition(treeOf(child), context)
  if (node.alias !== undefined) throw new Wrong('something in it is given a name', PARTS)
  switch (node.class) {
    case 'CONSTANT':
      return constantOf(treeOf(node.value))
    case 'COLUMN_REF':
      return columnOf((node.column_names as unknown[]).map(String), context)
    case 'CAST':
      return castOf(of(node.child), treeOf(node.cast_type))
    case 'COMPARISON': {
      const operator = COMPARISONS[String(node.type)]
      if (operator === undefined) break
      const [left, right] = alike([of(node.left), of(node.right)])
      return { sql: `(${left!.sql} ${operator} ${right!.sql})`, kind: 'boolean' }
    }
    case 'CONJUNCTION': {
      const word = node.type === 'CONJUNCTION_AND' ? ' and ' : ' or '
      return { sql: `(${booleans(listOf(node.children).map(of)).join(word)})`, kind: 'boolean' }
    }
    case 'BETWEEN': {
      const [input, lower, upper] = alike([of(node.input), of(node.lower), of(node.upper)])
      return { sql: `(${input!.sql} between ${lower!.sql} and ${upper!.sql})`, kind: 'boolean' }
    }
    case 'OPERATOR':
      return operatorOf(String(node.type), listOf(node.children).map(of))
    case 'CASE':
      return caseOf(node, of)
    case 'FUNCTION':
      return functionOf(node, listOf(node.children).map(of))
  }
  throw new Wrong(
    `it holds ${WORDS[String(node.class)] ?? 'something that is no part of a condition'}`,
    PARTS,
  )
}

const WORDS: Readonly<Record<string, string>> = {
  SUBQUERY: 'a query of its own',
  WINDOW: 'a window over other incidents',
  LAMBDA: 'a lambda',
  STAR: 'a *',
  PARAMETER: 'a parameter',
}

function constantOf({ is_null, type, value }: Tree): Value {
  const { id, type_info: info } = treeOf(type)
  if (is_null) return { sql: 'null', kind: 'any' }
  if (id === 'VARCHAR') {
    // Of an empty text the tree says nothing.
    const constant = String(value ?? '')
    return { sql: quoteLiteral(constant), kind: 'text', constant }
  }
  if (id === 'BOOLEAN') return { sql: String(value === true), kind: 'boolean' }
  const isSafe = typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER
  if (!isSafe) {
    throw new Wrong(
      'a number in it is longer than 15 digits',
      "Compare texts: cast(channel_id as varchar) = '…'.",
    )
  }
  const scale = id === 'DECIMAL' ? Number(treeOf(info).scale ?? 0) : 0
  return { sql: scale > 0 ? `${value}e-${scale}` : String(value), kind: 'number' }
}

/** Where labels and custom fields are, by the word that stands before their names. */
const JSON_COLUMNS: Readonly<Record<string, string>> = { label: 'labels', fields: 'fields' }

function columnOf(path: readonly string[], { reads }: Context): Value {
  const [first = '', ...rest] = path
  const word = first.toLowerCase()
  if (rest.length === 0) {
    const kind = Object.hasOwn(CONDITION_COLUMNS, word) ? CONDITION_COLUMNS[word] : undefined
    if (kind) return { sql: quoteIdentifier(word), kind }
    throw new Wrong(
      `there is no column "${first}"`,
      unknownName(word, [...Object.keys(CONDITION_COLUMNS), 'label.NAME', 'fields.NAME']),
    )
  }
  const column = Object.hasOwn(JSON_COLUMNS, word) ? JSON_COLUMNS[word] : undefined
  if (!column) {
    const meant = closestMatch(word, Object.keys(JSON_COLUMNS))
    throw new Wrong(
      `"${path.join('.')}" is no column`,
      meant ?? 'Write label.NAME or fields.NAME, or a column alone.',
    )
  }
  const key = rest.join('.')
  reads.add(`${word}.${key}`)
  const pointer = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
  return { sql: `json_extract_string(${column}, ${quoteLiteral(pointer)})`, kind: 'text' }
}

/** Types that something may be cast to, and what it is then. */
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

/** A cast that fails is null: one odd label must not end a report. Times are constants, since a zone would decide of others. */
function castOf(child: Value, { id }: Tree): Value {
  const kind = CASTS[String(id)]
  if (kind === undefined) {
    throw new Wrong(
      `it casts to ${String(id).toLowerCase()}`,
      'Cast to varchar, integer, bigint, double, boolean, date or timestamptz.',
    )
  }
  if (kind === 'time') return child.kind === 'time' ? child : timeOf(child)
  if (child.kind === 'time')
    throw new Wrong('it casts a time', "Compare it with one: start_time < '2026-03-01'.")
  return { sql: `try_cast(${child.sql} as ${String(id)})`, kind }
}

/** A constant as a time, of UTC unless it says another zone. */
function timeOf({ constant, kind }: Value): Value {
  if (kind === 'any') return { sql: 'null', kind }
  const instant = parseInstant(constant ?? '')
  if (instant === undefined) {
    throw new Wrong(
      `${constant === undefined ? 'a value in it' : `"${constant}"`} is no time`,
      "Write '2026-03-01' or '2026-03-01T08:00+01:00'.",
    )
  }
  return { sql: `to_timestamp(${instant.ms / 1000})`, kind: 'time' }
}

/** Whether something may stand where another kind is wanted. */
export const fits = (kind: Kind, wanted: Kind) => kind === wanted || kind === 'any'

/** Values of one kind; beside a time a text is read as one. */
function alike(values: readonly Value[]): readonly Value[] {
  const kinds = new Set(values.map(({ kind }) => kind).filter((kind) => kind !== 'any'))
  if (kinds.size < 2) return values
  if (kinds.size === 2 && kinds.has('time') && kinds.has('text'))
    return values.map((value) => (value.kind === 'text' ? timeOf(value) : value))
  throw new Wrong(
    `it compares ${[...kinds].map((kind) => `a ${kind}`).join(' with ')}`,
    'Write a text in quotes, and a number of a text as cast(label.size as integer).',
  )
}

function booleans(values: readonly Value[]): string[] {
  return values.map(({ sql, kind }) => {
    if (fits(kind, 'boolean')) return sql
    throw new Wrong(`it takes a ${kind} for a condition`, COMPARE)
  })
}

function operatorOf(type: string, children: readonly Value[]): Value {
  const sqls = children.map(({ sql }) => sql)
  const boolean = (sql: string): Value => ({ sql: `(${sql})`, kind: 'boolean' })
  if (type === 'OPERATOR_NOT') return boolean(`not ${booleans(children)[0]}`)
  if (type === 'OPERATOR_IS_NULL') return boolean(`${sqls[0]} is null`)
  if (type === 'OPERATOR_IS_NOT_NULL') return boolean(`${sqls[0]} is not null`)
  if (type === 'COMPARE_IN' || type === 'COMPARE_NOT_IN') {
    const [input, ...among] = alike(children).map(({ sql }) => sql)
    return boolean(`${input} ${type === 'COMPARE_IN' ? 'in' : 'not in'} (${among.join(', ')})`)
  }
  if (type === 'OPERATOR_COALESCE') {
    const values = alike(children)
    return { sql: `coalesce(${values.map(({ sql }) => sql).join(', ')})`, kind: kindOf(values) }
  }
  throw new Wrong('it holds something that is no part of a condition', PARTS)
}

function caseOf(node: Tree, of: (child: unknown) => Value): Value {
  const checks = listOf(node.case_checks)
  const when = booleans(checks.map((check) => of(check.when_expr)))
  const values = alike([...checks.map((check) => of(check.then_expr)), of(node.else_expr)])
  const cases = when.map((condition, index) => `when ${condition} then ${values[index]!.sql}`)
  return { sql: `(case ${cases.join(' ')} else ${values.at(-1)!.sql} end)`, kind: kindOf(values) }
}

const kindOf = (values: readonly Value[]): Kind => values.find(({ kind }) => kind !== 'any')?.kind ?? 'any'

/** Functions of values alone: what they take, as many as one likes behind `…`, and what they give. */
const FUNCTIONS: Readonly<Record<string, readonly [takes: string, gives: Kind, operator?: string]>> = {
  '~~': ['text text', 'boolean', 'like'],
  '!~~': ['text text', 'boolean', 'not like'],
  '~~*': ['text text', 'boolean', 'ilike'],
  '!~~*': ['text text', 'boolean', 'not ilike'],
  '||': ['text text', 'text', '||'],
  concat: ['text…', 'text'],
  contains: ['text text', 'boolean'],
  ends_with: ['text text', 'boolean'],
  ilike_escape: ['text constant constant', 'boolean'],
  length: ['text', 'number'],
  like_escape: ['text constant constant', 'boolean'],
  lower: ['text', 'text'],
  not_ilike_escape: ['text constant constant', 'boolean'],
  not_like_escape: ['text constant constant', 'boolean'],
  nullif: ['text text', 'text'],
  regexp_extract: ['text constant', 'text'],
  regexp_full_match: ['text constant', 'boolean'],
  regexp_matches: ['text constant', 'boolean'],
  replace: ['text text text', 'text'],
  split_part: ['text text number', 'text'],
  starts_with: ['text text', 'boolean'],
  trim: ['text', 'text'],
  upper: ['text', 'text'],
}

function functionOf(node: Tree, given: readonly Value[]): Value {
  const name = String(node.function_name).toLowerCase()
  const [takes, gives, operator] = (Object.hasOwn(FUNCTIONS, name) && FUNCTIONS[name]) || []
  const known = Object.keys(FUNCTIONS).filter((one) => /^[a-z]/.test(one) && !one.endsWith('_escape'))
  if (takes === undefined || gives === undefined) {
    throw new Wrong(`the function "${name}" is none of conditions`, unknownName(name, [...known, 'coalesce']))
  }
  const isPlain =
    node.distinct !== true && !node.filter && !node.catalog && Object.keys(treeOf(node.order_bys)).length <= 1
  const [many] = takes.split('…')
  const wanted = many === takes ? takes.split(' ') : Array.from({ length: given.length || 1 }, () => many)
  const fitting = (value: Value | undefined, kind: string | undefined) =>
    kind === 'constant' ? value?.constant !== undefined : value && fits(value.kind, kind as Kind)
  if (
    !isPlain ||
    wanted.length !== given.length ||
    !wanted.every((kind, index) => fitting(given[index], kind))
  ) {
    throw new Wrong(
      `"${operator ?? name}" takes something else`,
      `It takes ${wanted.map((kind) => `a ${kind}`).join(', ')}.`,
    )
  }
  const sqls = given.map(({ sql }) => sql)
  return { sql: operator ? `(${sqls.join(` ${operator} `)})` : `${name}(${sqls.join(', ')})`, kind: gives }
}
