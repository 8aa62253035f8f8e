/** Kinds of personal data. A rule for a kind applies to all text and JSON columns. */
export const KINDS = ['email', 'name'] as const
export type Kind = (typeof KINDS)[number]

export interface KindRule {
  readonly kind: Kind
  readonly act: 'drop' | 'hash'
}

export function isKind(rule: string): rule is Kind {
  return (KINDS as readonly string[]).includes(rule)
}

type Replace = (text: string) => string

export function replaceEmail(rules: readonly KindRule[], hash: Replace): Replace | undefined {
  const rule = rules.find(({ kind }) => kind === 'email')
  if (rule === undefined) return undefined
  const replace = rule.act === 'drop' ? () => '[email]' : hash
  return (text) => replaceAddresses(text, replace)
}

/** Matches `@` as people type it, and as URLs, HTML and full-width keyboards encode it. */
const MARK = /@|%40|&#64;|&#x40;|&commat;|\uff20/gi
const LOCAL = /[\p{L}\p{M}\p{N}\p{Cs}.!#$%&'*+^_~-]/u
const BEGINS = /[\p{L}\p{N}\p{Cs}_]/u
/** The last part of a domain must begin with a letter, so that `package@1.2.34` does not match. */
const DOMAIN = /(?:[\p{L}\p{M}\p{N}_-]{1,63}\.)+\p{L}[\p{L}\p{M}\p{N}-]{1,62}/uy
/** DuckDB pattern for an e-mail address. Matches only one character before the `@`. */
export const ADDRESS_PATTERN =
  '(?i)[\\pL\\pM\\pN_"!#$%&\'*+.~^-](@|%40|&#64;|&#x40;|&commat;|\uff20)([\\pL\\pM\\pN_-]+\\.)+\\pL[\\pL\\pM\\pN-]'
/** Maximum length of the part before `@`, longer than any real one. Limits the time for malicious texts. */
const LOCAL_MOST = 256

function replaceAddresses(text: string, replace: Replace): string {
  let result = ''
  let done = 0
  for (const { index, 0: mark } of text.matchAll(MARK)) {
    const from = localFrom(text, done, index)
    DOMAIN.lastIndex = index + mark.length
    const domain = from === index ? null : DOMAIN.exec(text)
    if (domain === null) continue
    result += text.slice(done, from) + replace(`${text.slice(from, index)}@${domain[0]}`)
    done = DOMAIN.lastIndex
  }
  return done === 0 ? text : result + text.slice(done)
}

/** Returns where the part before `@` starts, including its quotes. Returns `end` if there is no such part. */
function localFrom(text: string, done: number, end: number): number {
  const least = Math.max(done, end - LOCAL_MOST)
  if (text[end - 1] === '"') {
    const quote = text.lastIndexOf('"', end - 2)
    return quote >= least && quote < end - 1 ? quote : end
  }
  let from = end
  while (from > least && LOCAL.test(text[from - 1]!)) from--
  while (from < end && !BEGINS.test(text[from]!)) from++
  return from
}

/** Applies `replace` to all strings and field names in a value, in place, except to fields whose path is in `keep`. */
export function replaceIn(value: unknown, replace: Replace, keep: ReadonlySet<string>, path = ''): unknown {
  if (typeof value === 'string') return replace(value)
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) value[index] = replaceIn(value[index], replace, keep)
    return value
  }
  if (typeof value !== 'object' || value === null) return value
  const fields = value as Record<string, unknown>
  for (const key of Object.keys(fields)) {
    const place = path + key
    if (keep.has(place)) continue
    const part = replaceIn(fields[key], replace, keep, `${place}.`)
    const name = replace(key)
    if (name !== key) delete fields[key]
    if (name !== key || part !== fields[key]) put(fields, name, part)
  }
  return value
}

/** Sets a field. Unlike an assignment, this also works for the name `__proto__`. */
function put(fields: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true })
}

/** Pattern for field names such as `owner_name`, under which the service and monitoring tools store people's names. */
export const PERSON_NAME =
  '(person|member|user|owner|closer|creator|reporter|responder|assignee|author|operator|acknowledger)_name'
const personName = new RegExp(`^${PERSON_NAME}$`, 'i')

export function isPersonName(field: string): boolean {
  return personName.test(field)
}

/** Returns a function that replaces people's names in place, at any depth. Undefined if there is no rule for `name`. */
export function replaceNames(
  rules: readonly KindRule[],
  hash: Replace,
): ((value: unknown) => void) | undefined {
  const rule = rules.find(({ kind }) => kind === 'name')
  if (rule === undefined) return undefined
  const replaced = (value: unknown): unknown => {
    if (rule.act === 'drop') return null
    if (typeof value === 'string') return hash(value)
    if (Array.isArray(value)) return value.map(replaced)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, replaced(part)]))
  }
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(walk)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    const fields = value as Record<string, unknown>
    // A field `name` is a person's name if the same object has a person's id or e-mail address.
    const isPerson = ['person_id', 'member_id', 'email'].some((one) => one in fields)
    for (const key of Object.keys(fields)) {
      if (isPersonName(key) || (isPerson && key.toLowerCase() === 'name'))
        put(fields, key, replaced(fields[key]))
      else walk(fields[key])
    }
  }
  return walk
}
