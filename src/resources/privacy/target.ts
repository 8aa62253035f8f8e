import { ConfigError, unknownName } from '../../errors.ts'
import type { Child, Column, Resource } from '../resource.ts'
import { KINDS } from './personal-data-kinds.ts'

/** The part of a resource that a privacy rule covers: a column of its table or a child table, or a value inside JSON. */
export interface PrivacyTarget {
  readonly rule: string
  readonly act: 'drop' | 'hash'
  readonly resource: Resource
  /** The child table to which the column belongs, or null for the resource itself. */
  readonly child: Child | null
  /** The column. Null means `_extra`, which stores undocumented fields. */
  readonly column: Column | null
  /** Dotted path inside the column, or null for the entire column. */
  readonly inside: string | null
}

export const EXTRA = '_extra'

/** Finds the column of a rule such as `members.phone`. @throws ConfigError if the column cannot have this rule */
export function privacyTarget(rule: string, act: PrivacyTarget['act'], known: readonly Resource[]) {
  const [table = '', ...rest] = rule.split('.')
  const { resource, child } = tableNamed(rule, table, known)
  const { column, inside } = columnNamed(rule, rest.join('.'), resource, child)
  refuseNeeded(rule, act, { resource, child, column }, known)
  if (act === 'hash' && column && !['VARCHAR', 'VARCHAR[]', 'JSON'].includes(column.type)) {
    throw new ConfigError(`privacy.hash: ${rule} is ${column.type}: only text can be hashed.`, {
      next: 'List it under `drop` instead.',
    })
  }
  return { rule, act, resource, child, column, inside }
}

function tableNamed(rule: string, table: string, known: readonly Resource[]) {
  for (const resource of known) {
    if (resource.table === table) return { resource, child: null }
    const child = resource.children.find((one) => one.table === table)
    if (child) return { resource, child }
    if (resource.versions === table) {
      throw new ConfigError(`privacy: ${rule}: ${table} follows the rules of ${resource.table}.`, {
        next: `Write ${resource.table}${rule.slice(table.length)}.`,
      })
    }
  }
  const tables = known.flatMap((resource) => [resource.table, ...resource.children.map((one) => one.table)])
  throw new ConfigError(`privacy: unknown table "${table}" (${rule}).`, {
    next: unknownName(table, [...KINDS, ...tables]),
  })
}

function columnNamed(rule: string, text: string, resource: Resource, child: Child | null) {
  const columns: readonly Column[] = (child ?? resource).columns
  const isIn = (name: string) => text === name || text.startsWith(`${name}.`)
  const column = columns.find(({ name }) => isIn(name))
  const isExtra = child === null && isIn(EXTRA)
  const name = column?.name ?? EXTRA
  if (column === undefined && !isExtra) {
    const names = [...columns.map((one) => one.name), ...(child ? [] : [EXTRA])]
    const wanted = text.split('.')[0] ?? ''
    throw new ConfigError(`privacy: ${(child ?? resource).table} has no column "${wanted}" (${rule}).`, {
      next: unknownName(wanted, names),
    })
  }
  const inside = text === name ? null : text.slice(name.length + 1)
  if (inside !== null && column && column.type !== 'JSON') {
    throw new ConfigError(`privacy: ${rule}: ${name} is ${column.type} and has no nested fields.`, {
      next: `Write ${(child ?? resource).table}.${name}.`,
    })
  }
  return { column: column ?? null, inside }
}

/** Whether another resource takes its ids from this column. */
export function isIdSource(table: string, column: string, known: readonly Resource[]): boolean {
  return known.some(
    ({ read }) => read.kind === 'ids' && read.from.table === table && read.from.column === column,
  )
}

/** @throws ConfigError for a column that the sync needs, such as a key, an id, or a time of change */
function refuseNeeded(
  rule: string,
  act: PrivacyTarget['act'],
  { resource, child, column }: Pick<PrivacyTarget, 'resource' | 'child' | 'column'>,
  known: readonly Resource[],
) {
  if (child !== null || column === null) return
  const { read, key, updated, table } = resource
  const { name } = column
  const isAsked = read.kind === 'windows' || read.kind === 'ids'
  const reasons: [because: string, isSo: boolean][] = [
    ['it is part of every key', name === 'account_id'],
    ['it is the key of its table', key.includes(name) && (act === 'drop' || isAsked)],
    ['it shows which copy of a record is newer', name === updated],
    [
      'it determines what to read next',
      read.kind === 'windows' && [read.start, read.openWhen.column].includes(name),
    ],
    ['it determines what to read again', read.kind === 'ids' && read.refresh.while?.column === name],
    ['the sync uses it to find other resources', isIdSource(table, name, known)],
  ]
  const because = reasons.find(([, isSo]) => isSo)?.[0]
  if (because === undefined) return
  throw new ConfigError(`privacy.${act}: ${rule} is needed by the sync: ${because}.`, {
    next: 'Remove the rule. Reports and views can omit the column.',
  })
}
