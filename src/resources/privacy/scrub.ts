import { createHmac } from 'node:crypto'
import type { Column, Resource, Scrub } from '../resource.ts'
import { isPersonName, type KindRule, replaceEmail, replaceIn, replaceNames } from './personal-data-kinds.ts'
import { EXTRA, type PrivacyTarget } from './target.ts'

type Fields = Record<string, unknown>
type Change = (value: unknown) => unknown

interface Rules {
  readonly targets: readonly PrivacyTarget[]
  readonly kinds: readonly KindRule[]
  /** Columns that rules for `email` and `name` leave unchanged, because the sync needs their values to find records. */
  readonly ids: readonly Column[]
  readonly salt: string
}

export function createScrub(resource: Resource, rules: Rules): Scrub | undefined {
  const { targets, kinds, ids, salt } = rules
  if (targets.length === 0 && kinds.length === 0) return undefined
  const hash = keyedHash(salt)
  const actions = targets.flatMap((target) => (target.column ? [actionOf(target, target.column, hash)] : []))
  const extraTargets = targets.filter(({ column }) => column === null)
  const rejected = targets.length === 0 ? (record: unknown) => record : byName(targets, hash)
  const replace = replaceEmail(kinds, hash)
  const nameless = replaceNames(kinds, hash)
  const withoutKinds = (value: unknown, keep: ReadonlySet<string> = new Set()) => {
    nameless?.(value)
    return replace === undefined ? value : replaceIn(value, replace, keep)
  }
  const keep = new Set(ids.map(({ path }) => path.join('.')))
  const holdsKind = ({ name, type }: Column) =>
    (replace !== undefined && TEXTS.includes(type)) ||
    (nameless !== undefined && (type === 'JSON' || isPersonName(name)))
  const textColumns = kinds.length === 0 ? [] : columnsWith(holdsKind, resource, ids)
  const isText = new Set(textColumns.map(idOf))
  return {
    record(record) {
      for (const action of actions) action(record)
      withoutKinds(record, keep)
    },
    extra: (extra) => withoutKinds(extraTargets.length === 0 ? extra : changed(extraTargets, extra, hash)),
    rejected: (record) => withoutKinds(rejected(record)),
    column(name, child, value) {
      const id = idOf({ child, name })
      const own = targets.filter((target) => idOf(columnOf(target)) === id)
      const result = changed(own, value, hash)
      // `replaceNames` recognizes a name by its field, so the value is wrapped in an object with that field.
      return isText.has(id) ? (withoutKinds({ [name]: result }) as Fields)[name] : result
    },
    columns: [...new Map([...targets.map(columnOf), ...textColumns].map((one) => [idOf(one), one])).values()],
    fingerprint: fingerprintOf(rules, hash),
  }
}

type ColumnOf = Scrub['columns'][number]

function idOf({ child, name }: ColumnOf): string {
  return `${child} ${name}`
}

function columnOf({ child, column }: PrivacyTarget): ColumnOf {
  return { child: child?.table ?? null, name: column?.name ?? EXTRA }
}

const TEXTS: readonly string[] = ['VARCHAR', 'VARCHAR[]', 'JSON']

/** Returns every stored column that can contain personal data of these kinds, including `_extra`. */
function columnsWith(
  holdsKind: (column: Column) => boolean,
  { columns, children }: Resource,
  ids: readonly Column[],
): ColumnOf[] {
  const own = columns.filter((one) => holdsKind(one) && !ids.includes(one))
  return [
    ...[...own.map(({ name }) => name), EXTRA].map((name) => ({ child: null, name })),
    ...children.flatMap(({ table, columns: list }) =>
      list.filter(holdsKind).map(({ name }) => ({ child: table, name })),
    ),
  ]
}

function fingerprintOf({ targets, kinds }: Rules, hash: (text: string) => string): string {
  const rules = [
    ...targets.map(({ act, rule }) => `${act} ${rule}`),
    ...kinds.map(({ act, kind }) => `${act} ${kind}`),
  ].sort()
  const isHashing = [...targets, ...kinds].some(({ act }) => act === 'hash')
  return JSON.stringify([...rules, ...(isHashing ? [hash('salt')] : [])])
}

function actionOf({ child, inside, act }: PrivacyTarget, column: Column, hash: (text: string) => string) {
  const change = changeOf(act, hash)
  const onRecord = (record: unknown) => {
    const holder = reached(record, column.path.slice(0, -1))
    const name = column.path.at(-1)
    if (!isObject(holder) || name === undefined || !(name in holder)) return
    if (inside === null) holder[name] = change(holder[name])
    else changeInside(holder[name], inside, act, change)
  }
  if (child === null) return onRecord
  return (record: Fields) => {
    const list = reached(record, child.path)
    if (!Array.isArray(list)) return
    for (let index = 0; index < list.length; index++) {
      if (column.path.length === 0) list[index] = change(list[index])
      else onRecord(list[index])
    }
  }
}

function changeOf(act: PrivacyTarget['act'], hash: (text: string) => string): Change {
  return (value) => (act === 'drop' ? null : hashed(value, hash))
}

function reached(value: unknown, path: readonly string[]): unknown {
  return path.reduce((part, step) => (part as Fields | null | undefined)?.[step], value)
}

/** Changes the values at the dotted path `name` inside a value, also in lists. A key can itself contain dots. */
function changeInside(value: unknown, name: string, act: PrivacyTarget['act'], change: Change) {
  if (Array.isArray(value)) for (const element of value) changeInside(element, name, act, change)
  if (!isObject(value)) return
  for (const key of Object.keys(value)) {
    if (key === name) {
      if (act === 'drop') delete value[key]
      else value[key] = change(value[key])
    } else if (name.startsWith(`${key}.`)) changeInside(value[key], name.slice(key.length + 1), act, change)
  }
}

function hashed(value: unknown, hash: (text: string) => string): unknown {
  if (typeof value === 'string') return hash(value)
  if (typeof value === 'number' || typeof value === 'bigint') return hash(String(value))
  if (Array.isArray(value)) return value.map((one) => hashed(one, hash))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, hashed(one, hash)]))
}

/** Cleans a rejected record of any structure, but keeps the types, so that the record shows why it was rejected. */
function byName(targets: readonly PrivacyTarget[], hash: (text: string) => string): Change {
  const acts = new Map<string, PrivacyTarget['act']>()
  for (const target of targets) {
    for (const name of namesOf(target)) {
      if (acts.get(name) !== 'drop') acts.set(name, target.act)
    }
  }
  const named = (value: unknown, act: PrivacyTarget['act']) =>
    act === 'hash' && typeof value === 'string' ? hash(value) : blank(value)
  const holders = new Set(targets.flatMap(holdersOf))
  const extra = targets.find(({ column, inside }) => column === null && inside === null)
  const documented = extra && documentedNames(extra.resource)
  const walk = (value: unknown, hasName: boolean, isFree: boolean): unknown => {
    if (Array.isArray(value)) return value.map((one) => walk(one, hasName, isFree))
    if (!isObject(value)) return hasName ? value : blank(value)
    const copy: Fields = Object.create(null) as Fields
    for (const [key, part] of Object.entries(value)) {
      const kind = documented?.get(key)
      const isUnknown = documented !== undefined && !isFree && kind === undefined
      const act = acts.get(key.toLowerCase()) ?? (isUnknown ? extra?.act : undefined)
      // If the record has a text in place of an object, the text might be the value of a field in that object.
      const hasOwnName = !holders.has(key.toLowerCase())
      copy[key] = act === undefined ? walk(part, hasOwnName, isFree || kind === 'JSON') : named(part, act)
    }
    return copy
  }
  return (record) => walk(record, false, false)
}

/** Maps each field name on the columns' paths to a type: the last name to the column's type, others to `object`. */
function documentedNames({ columns, children }: Resource): Map<string, string> {
  const paths: { path: readonly string[]; type: string }[] = [
    ...columns,
    ...children.map(({ path }) => ({ path, type: 'list' })),
    ...children.flatMap((child) => child.columns),
  ]
  return new Map(
    paths.flatMap(({ path, type }) =>
      path.map((step, index) => [step, index === path.length - 1 ? type : 'object'] as const),
    ),
  )
}

function holdersOf({ child, column, inside }: PrivacyTarget): string[] {
  const path = [...(child?.path ?? []), ...(column?.path ?? [])]
  return (inside === null ? path.slice(0, -1) : path).map((name) => name.toLowerCase())
}

/** Returns the field name that a target covers. For a path `a.b.c` inside JSON, returns `a.b.c`, `b.c` and `c`. */
function namesOf({ child, column, inside }: PrivacyTarget): string[] {
  const steps = inside?.split('.') ?? []
  const rests = steps.map((_, index) => steps.slice(index).join('.'))
  const field = column === null ? [] : [column.path.at(-1) ?? child?.path.at(-1) ?? column.name]
  return (inside === null ? field : rests).map((name) => name.toLowerCase())
}

function blank(value: unknown): unknown {
  if (typeof value === 'string') return ''
  if (typeof value === 'number' || typeof value === 'bigint') return 0
  if (typeof value === 'boolean') return false
  if (Array.isArray(value)) return []
  return isObject(value) ? {} : value
}

function changed(targets: readonly PrivacyTarget[], value: unknown, hash: (text: string) => string): unknown {
  let result = value
  for (const { inside, act } of targets) {
    const change = changeOf(act, hash)
    if (inside === null) result = change(result) ?? undefined
    else changeInside(result, inside, act, change)
  }
  return result
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const HASHED = /^hmac:[0-9a-f]{64}$/

/** Returns a function that hashes a text with HMAC-SHA-256. Empty texts and existing hashes stay unchanged. */
export function keyedHash(salt: string): (text: string) => string {
  return (text) =>
    text === '' || HASHED.test(text) ? text : `hmac:${createHmac('sha256', salt).update(text).digest('hex')}`
}
