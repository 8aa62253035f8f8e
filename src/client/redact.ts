const INSTEAD = '[redacted]'

/**
 * Removes secrets by value from anything that is about to leave the process: texts, log facts, errors with
 * their messages, stacks, properties and causes. Nothing is changed in place; a copy keeps its class.
 * A secret is found plain, URL-encoded (once or twice), JSON-escaped, or in any mix of these.
 */
export function redact<Value>(value: Value, secrets: readonly string[]): Value {
  const pattern = patternOf(secrets)
  return pattern === undefined ? value : (copyOf(value, pattern, new Map()) as Value)
}

/** One expression for all secrets, the longest first, because one may begin with another. */
function patternOf(secrets: readonly string[]): RegExp | undefined {
  const given = secrets.filter((secret) => secret !== '').sort((a, b) => b.length - a.length)
  if (given.length === 0) return undefined
  return new RegExp(given.map((secret) => Array.from(secret, formsOf).join('')).join('|'), 'giu')
}

/**
 * The ways to write one character: percent-encoded, as `\u` escapes, `+` for a blank, itself, behind a backslash.
 * Itself comes last: of an encoded `%` it is only the beginning.
 */
function formsOf(character: string): string {
  const percent = Array.from(new TextEncoder().encode(character), (byte) => `%(?:25)?${hex(byte, 2)}`)
  const escaped = character.split('').map((unit) => `\\\\u${hex(unit.charCodeAt(0), 4)}`)
  const plain = `\\\\?\\u{${character.codePointAt(0)?.toString(16)}}`
  const blank = character === ' ' ? ['\\+'] : []
  return `(?:${[percent.join(''), escaped.join(''), ...blank, plain].join('|')})`
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}

function copyOf(value: unknown, pattern: RegExp, seen: Map<object, unknown>): unknown {
  if (typeof value === 'string') return value.replace(pattern, INSTEAD)
  if (typeof value !== 'object' || value === null) return value
  if (seen.has(value)) return seen.get(value)
  const inner = (part: unknown) => copyOf(part, pattern, seen)
  if (value instanceof URL) return inner(value.href)
  if (value instanceof DOMException) return new DOMException(inner(value.message) as string, value.name)
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [inner(key), inner(item)]))
  if (value instanceof Set) return new Set([...value].map(inner))
  // Their content is in slots that a copy would not have, and holds no text.
  if (value instanceof Date || ArrayBuffer.isView(value)) return value
  const copy = Array.isArray(value)
    ? []
    : Object.setPrototypeOf(value instanceof Error ? new Error() : {}, Object.getPrototypeOf(value))
  seen.set(value, copy)
  for (const key of Reflect.ownKeys(value)) {
    if (Array.isArray(value) && key === 'length') continue
    // The names of an error's properties are its class's: a short key must not turn `exitCode` into something else.
    const isData = typeof key === 'string' && !(value instanceof Error)
    Object.defineProperty(copy, isData ? (inner(key) as string) : key, {
      value: inner(Reflect.get(value, key)),
      enumerable: Object.prototype.propertyIsEnumerable.call(value, key),
      configurable: true,
      writable: true,
    })
  }
  return copy
}
