import { ConfigError, unknownName } from '../../errors.ts'
import type { Child, Column, Resource } from '../resource.ts'
import { KINDS } from './personal-data-kinds.ts'

/** The target of a rule: a column of a resource or of one of its children, or a value inside a JSON column. */
export interface PrivacyTarget {
  readonly rule: string
  readonly act: 'drop' | 'hash'
  readonly resource: Resource
  /** The child list to which the column belongs, or null for the resource itself. */
  readonly child: Child | null
  /** The column, or null for `_extra`, the undocumented fields. */
  readonly column: Column | null
  /**
   * Dotted path inside the column, as written, or null for the entire column. A single name in the path can itself
   * contain dots.
   */
  readonly inside: string | null
}

export const EXTRA = '_extra'

/**
 * Resolves a rule such as `members.phone`. @throws ConfigError if the column is unknown, is needed by the sync, or cannot be
 * hashed
 */
export function privacyTarget(
  rule: string,
  act: PrivacyTarget['act'],
  known: readonly Resource[],
): PrivacyTarget {
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
  const below = (name: string) => (text === name ? null : text.startsWith(`${name}.`) ? text : undefined)
  const column = columns.find(({ name }) => below(name) !== undefined)
  const isExtra = child === null && below(EXTRA) !== undefined
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

/** Refuses columns the sync needs: keys, ids, and times of change. */
function refuseNeeded(
  rule: string,
  act: PrivacyTarget['act'],
  { resource, child, column }: Pick<PrivacyTarget, 'resource' | 'child' | 'column'>,
  known: readonly Resource[],
) {
  if (child !== null || column === null) return
  const { read, key, updated } = resource
  const isAsked = read.kind === 'windows' || read.kind === 'ids'
  const because =
    column.name === 'account_id'
      ? 'it is part of every key'
      : key.includes(column.name) && (act === 'drop' || isAsked)
        ? 'it is the key of its table'
        : column.name === updated
          ? 'it shows which copy of a record is newer'
          : read.kind === 'windows' && [read.start, read.openWhen.column].includes(column.name)
            ? 'it determines what to read next'
            : read.kind === 'ids' && read.refresh.while?.column === column.name
              ? 'it determines what to read again'
              : known.some(
                    (one) =>
                      one.read.kind === 'ids' &&
                      one.read.from.table === resource.table &&
                      one.read.from.column === column.name,
                  )
                ? 'the sync uses it to find other resources'
                : undefined
  if (because === undefined) return
  throw new ConfigError(`privacy.${act}: ${rule} is needed by the sync: ${because}.`, {
    next: 'Remove the rule. Reports and views can omit the column.',
  })
}
