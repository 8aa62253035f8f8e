import type { Column } from './column.ts'
import { keyedHash } from './keyed-hash.ts'
import { EXTRA, type PrivacyTarget } from './privacy-target.ts'
import type { Resource, Scrub } from './resource.ts'

type Fields = Record<string, unknown>
type Change = (value: unknown) => unknown

/** Compiles the rules of one resource; undefined where it has none, so that they cost nothing there. */
export function createScrub(targets: readonly PrivacyTarget[], salt: string): Scrub | undefined {
  if (targets.length === 0) return undefined
  const hash = keyedHash(salt)
  const actions = targets.flatMap((target) => (target.column ? [actionOf(target, target.column, hash)] : []))
  const extraTargets = targets.filter(({ column }) => column === null)
  return {
    record(record) {
      for (const action of actions) action(record)
    },
    extra: (extra) => (extraTargets.length === 0 ? extra : changed(extraTargets, extra, hash)),
    rejected: byName(targets, hash),
    column: (name, child, value) =>
      changed(
        targets.filter((one) => (one.column?.name ?? EXTRA) === name && (one.child?.table ?? null) === child),
        value,
        hash,
      ),
    columns: uniqueColumns(targets),
    fingerprint: fingerprintOf(targets, hash),
  }
}

function uniqueColumns(targets: readonly PrivacyTarget[]): Scrub['columns'] {
  const columns = targets.map(({ child, column }) => ({
    child: child?.table ?? null,
    name: column?.name ?? EXTRA,
  }))
  return [...new Map(columns.map((one) => [`${one.child} ${one.name}`, one])).values()]
}

/** The salt shows in it as little as in any hash. */
function fingerprintOf(targets: readonly PrivacyTarget[], hash: (text: string) => string): string {
  const rules = targets.map(({ act, rule }) => `${act} ${rule}`).sort()
  return JSON.stringify([...rules, ...(targets.some(({ act }) => act === 'hash') ? [hash('salt')] : [])])
}

/** What a rule does to a record that fits: in place. */
function actionOf({ child, inside, act }: PrivacyTarget, column: Column, hash: (text: string) => string) {
  const change: Change = (value) => (act === 'drop' ? null : hashed(value, hash))
  const onRecord = (record: Fields) =>
    changeAt(record, column.path, (holder, name) => {
      if (inside === null) holder[name] = change(holder[name])
      else changeInside(holder[name], inside, act, change)
    })
  if (child === null) return onRecord
  return (record: Fields) => {
    let list: unknown = record
    for (const step of child.path) list = (list as Fields | null | undefined)?.[step]
    if (!Array.isArray(list)) return
    for (let index = 0; index < list.length; index++) {
      if (column.path.length === 0) list[index] = change(list[index])
      else onRecord(list[index] as Fields)
    }
  }
}

function changeAt(record: unknown, path: readonly string[], act: (holder: Fields, name: string) => void) {
  let holder = record
  for (const step of path.slice(0, -1)) holder = (holder as Fields | null | undefined)?.[step]
  const name = path.at(-1)
  if (isObject(holder) && name !== undefined && name in holder) act(holder, name)
}

/** Changes what has the dotted name below a value: each name on the way may hold dots itself, and lists are walked. */
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

/** Every text and number in a value as its hash; its shape stays. */
function hashed(value: unknown, hash: (text: string) => string): unknown {
  if (typeof value === 'string') return hash(value)
  if (typeof value === 'number' || typeof value === 'bigint') return hash(String(value))
  if (Array.isArray(value)) return value.map((one) => hashed(one, hash))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, hashed(one, hash)]))
}

/**
 * Scrubs a record that does not fit, whatever its shape is: what has one of the names, at any depth and in any case, is
 * emptied or hashed, and what has no name at all is emptied. Types stay, so that the record still shows what is wrong.
 */
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
      // A text in place of what should hold the name may be that very value.
      const hasOwnName = !holders.has(key.toLowerCase())
      copy[key] = act === undefined ? walk(part, hasOwnName, isFree || kind === 'JSON') : named(part, act)
    }
    return copy
  }
  return (record) => walk(record, false, false)
}

/** Every name that leads to a column, with the type of the column it ends in; below one of JSON names are free. */
function documentedNames({ columns, children }: Resource): Map<string, string> {
  const paths = [
    ...columns.map(({ path, type }) => ({ path, type: type as string })),
    ...children.map(({ path }) => ({ path, type: 'list' })),
    ...children.flatMap((child) => child.columns).map(({ path, type }) => ({ path, type: type as string })),
  ]
  return new Map(
    paths.flatMap(({ path, type }) =>
      path.map((step, index) => [step, index === path.length - 1 ? type : 'object'] as const),
    ),
  )
}

/** The names on the way to a target in a record, its own left out. */
function holdersOf({ child, column, inside }: PrivacyTarget): string[] {
  const path = [...(child?.path ?? []), ...(column?.path ?? [])]
  return (inside === null ? path.slice(0, -1) : path).map((name) => name.toLowerCase())
}

/** The names a target may have in a record: its field's, and every dotted rest of what lies inside of one. */
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

/** A column's value as those rules want it, whichever of them is about the whole and which about something inside. */
function changed(targets: readonly PrivacyTarget[], value: unknown, hash: (text: string) => string): unknown {
  let result = value
  for (const { inside, act } of targets) {
    const change: Change = (part) => (act === 'drop' ? null : hashed(part, hash))
    if (inside === null) result = change(result) ?? undefined
    else changeInside(result, inside, act, change)
  }
  return result
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
