const INSTEAD = '[redacted]'

/** Copies a text, an error or log data without secrets, even if they are URL-encoded, JSON-escaped or in base64. */
export function redact<Value>(value: Value, secrets: readonly string[]): Value {
  const known = knownOf(secrets)
  return known.tree.next.size === 0 ? value : (copyOf(value, known, new Map()) as Value)
}

/** Secrets as a tree of characters, so that one pass over a text finds all of them, even if there are thousands. */
interface Tree {
  readonly next: Map<string, Tree>
  isEnd: boolean
}

interface Known {
  readonly count: number
  readonly tree: Tree
  /** Matches any character with which a secret can begin. */
  readonly start: RegExp
}

/** Caches the tree for each list of secrets. If a list has grown, its tree is built again. */
const ready = new WeakMap<readonly string[], Known>()

function knownOf(secrets: readonly string[]): Known {
  const before = ready.get(secrets)
  if (before?.count === secrets.length) return before
  const tree: Tree = { next: new Map(), isEnd: false }
  const firsts = new Set<string>()
  for (const secret of secrets.flatMap((one) => [one, ...base64Of(one)])) {
    let node = tree
    for (const character of secret) {
      if (node === tree) firsts.add(`\\u{${character.codePointAt(0)!.toString(16)}}`)
      const next = node.next.get(folded(character)) ?? { next: new Map(), isEnd: false }
      node.next.set(folded(character), next)
      node = next
    }
    node.isEnd = true
  }
  const known = { count: secrets.length, tree, start: new RegExp(`[%\\\\+${[...firsts].join('')}]`, 'giu') }
  ready.set(secrets, known)
  return known
}

/** Shorter secrets are not searched for in base64, because they would match unrelated words. */
const BASE64_BYTES_MIN = 8

/** Returns the possible base64 forms of a secret. The form depends on the secret's position in the encoded text. */
function base64Of(secret: string): string[] {
  const bytes = Buffer.from(secret)
  if (bytes.length < BASE64_BYTES_MIN) return []
  return [0, 1, 2].flatMap((before) => {
    const [from, to] = [Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6)]
    const text = Buffer.concat([Buffer.alloc(before), bytes])
    return (['base64', 'base64url'] as const).map((alphabet) => text.toString(alphabet).slice(from, to))
  })
}

const folded = (character: string) => character.toUpperCase().toLowerCase()

function without(text: string, { tree, start }: Known): string {
  let clean = ''
  let from = 0
  start.lastIndex = 0
  for (let found = start.exec(text); found; found = start.exec(text)) {
    const end = endOf(text, found.index, tree)
    if (end <= found.index) continue
    clean += text.slice(from, found.index) + INSTEAD
    from = end
    start.lastIndex = end
  }
  return clean + text.slice(from)
}

/** Returns the end of the longest secret that starts at a position, or -1 if none does. */
function endOf(text: string, at: number, { next, isEnd }: Tree): number {
  let end = isEnd ? at : -1
  for (const [character, length] of readings(text, at)) {
    const node = next.get(folded(character))
    if (node) end = Math.max(end, endOf(text, at + length, node))
  }
  return end
}

/** Returns the characters that the text at a position can encode, each with the length of its encoding. */
function readings(text: string, at: number): [character: string, length: number][] {
  const own = characterAt(text, at)
  if (own === '') return []
  const plain: [string, number] = [own, own.length]
  if (own === '+') return [plain, [' ', 1]]
  if (own === '%') return [plain, ...percents(text, at)]
  if (own !== '\\') return [plain]
  const behind = characterAt(text, at + 1)
  return [plain, [behind, 1 + behind.length], ...escapes(text, at)]
}

function characterAt(text: string, at: number): string {
  const point = text.codePointAt(at)
  return point === undefined ? '' : String.fromCodePoint(point)
}

/** Decodes a character such as `%C3%A9`. Each percent sign can itself be encoded as `%25`. */
function percents(text: string, at: number): [character: string, length: number][] {
  return [/%([0-9a-f]{2})/iy, /%25([0-9a-f]{2})/iy].flatMap((first): [string, number][] => {
    const [lead, length] = hexAt(first, text, at)
    if (lead === undefined) return []
    const bytes = [lead]
    let end = at + length
    for (let more = lead < 0xc0 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3; more > 0; more--) {
      const [byte, taken] = hexAt(/%(?:25)?([89ab][0-9a-f])/iy, text, end)
      if (byte === undefined) return []
      bytes.push(byte)
      end += taken
    }
    return [[Buffer.from(bytes).toString(), end - at]]
  })
}

/** Decodes an escape such as `\\u00e9`, or two of them for a character that needs two UTF-16 units. */
function escapes(text: string, at: number): [character: string, length: number][] {
  const [first, length] = hexAt(/\\u([0-9a-f]{4})/iy, text, at)
  if (first === undefined) return []
  const [second, more] = hexAt(/\\u(d[c-f][0-9a-f]{2})/iy, text, at + length)
  const one: [string, number] = [String.fromCharCode(first), length]
  return second === undefined ? [one] : [one, [String.fromCharCode(first, second), length + more]]
}

function hexAt(pattern: RegExp, text: string, at: number): [number: number | undefined, length: number] {
  pattern.lastIndex = at
  const found = pattern.exec(text)
  return found ? [Number.parseInt(found[1]!, 16), found[0].length] : [undefined, 0]
}

function copyOf(value: unknown, known: Known, seen: Map<object, unknown>): unknown {
  if (typeof value === 'string') return without(value, known)
  if (typeof value !== 'object' || value === null) return value
  if (seen.has(value)) return seen.get(value)
  const inner = (part: unknown) => copyOf(part, known, seen)
  if (value instanceof URL) return inner(value.href)
  if (value instanceof DOMException) return new DOMException(inner(value.message) as string, value.name)
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [inner(key), inner(item)]))
  if (value instanceof Set) return new Set([...value].map(inner))
  // Dates and buffers contain no text, and copying their properties would lose their content.
  if (value instanceof Date || ArrayBuffer.isView(value)) return value
  const copy = Array.isArray(value)
    ? []
    : Object.setPrototypeOf(value instanceof Error ? new Error() : {}, Object.getPrototypeOf(value))
  seen.set(value, copy)
  for (const key of Reflect.ownKeys(value)) {
    if (Array.isArray(value) && key === 'length') continue
    // An error's property names come from its class, so they are kept. A short secret could change `exitCode`.
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
