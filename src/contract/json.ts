/**
 * Marks an integer that `JSON.parse` would round. The integer passes through `JSON.parse` as a text with this mark.
 * The mark is random, so that the service cannot send such a text. A parser written in JavaScript takes five times as
 * long (test/bench/README.md).
 */
const MARK = `\u007f${crypto.randomUUID()}:`
const MARK_START = 0x7f

/**
 * Parses JSON. Integers beyond 2^53 - 1 become bigint, every other number a number.
 * @param onRawControls if given, raw tabs and line breaks in texts are accepted, although JSON forbids them. Called if
 * the text has any
 */
export function parseJson(text: string, onRawControls?: () => void): unknown {
  try {
    return parseStrictly(text)
  } catch (error) {
    const escaped = onRawControls ? escapeControls(text) : text
    if (escaped === text) throw error
    const value = parseStrictly(escaped)
    onRawControls?.()
    return value
  }
}

/** Escapes tabs and line breaks in texts. Other control characters are a sign of damage and remain an error. */
function escapeControls(text: string): string {
  const inText = quoteScanner(text)
  return text.replace(/[\t\n\r]/g, (character, place: number) =>
    inText(place) && !isEscaped(text, place) ? JSON.stringify(character).slice(1, -1) : character,
  )
}

function parseStrictly(text: string): unknown {
  const { marked, count } = markIntegers(text)
  if (count === 0) return JSON.parse(text)
  const holder = { value: JSON.parse(marked) as unknown }
  restoreIntegers(holder, count)
  return holder.value
}

/** `JSON.parse` rounds no integer with fewer digits. Of those with 16 digits, it rounds only some that begin with 9. */
const LONG = 16

/** Turns long integers outside of texts into marked texts. Checks every 16th position, which none of them can avoid. */
function markIntegers(text: string): { marked: string; count: number } {
  const inText = quoteScanner(text)
  let marked = ''
  let copied = 0
  let count = 0
  for (let place = LONG - 1; place < text.length; place += LONG) {
    if (!isDigit(text.charCodeAt(place))) continue
    let start = place
    while (isDigit(text.charCodeAt(start - 1))) start--
    let end = place + 1
    while (isDigit(text.charCodeAt(end))) end++
    place = end - 1
    if (end - start < LONG || (end - start === LONG && text.charCodeAt(start) !== NINE)) continue
    if (text.charCodeAt(start - 1) === MINUS) start--
    if (!isToken(text, start, end)) continue
    if (inText(start)) continue
    marked += `${text.slice(copied, start)}"${MARK}${text.slice(start, end)}"`
    copied = end
    count++
  }
  return { marked: marked + text.slice(copied), count }
}

const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE
}

const BEFORE_VALUE = /^$|[:,[\s]/
const AFTER_VALUE = /\s*(?:[,\]}]|$)/y

/** Whether the digits look like an entire JSON integer. They can still be inside a text. */
function isToken(text: string, start: number, end: number): boolean {
  const first = text.charCodeAt(start) === MINUS ? start + 1 : start
  AFTER_VALUE.lastIndex = end
  return (
    text.charCodeAt(first) !== ZERO && BEFORE_VALUE.test(text.charAt(start - 1)) && AFTER_VALUE.test(text)
  )
}

/** Returns a function that tells whether a position is inside a text. Call it with increasing positions. */
function quoteScanner(text: string): (position: number) => boolean {
  let inside = false
  let next = text.indexOf('"')
  return (position) => {
    while (next !== -1 && next < position) {
      if (!inside || !isEscaped(text, next)) inside = !inside
      next = text.indexOf('"', next + 1)
    }
    return inside
  }
}

/** Whether an odd number of backslashes precedes the position. */
function isEscaped(text: string, position: number): boolean {
  let first = position
  while (text.charCodeAt(first - 1) === 0x5c) first--
  return (position - first) % 2 === 1
}

/** Converts `count` marked texts to integers in place. Not recursive, because JSON can be nested deeper than calls. */
function restoreIntegers(holder: object, count: number): void {
  let left = count
  const open: Record<string, unknown>[] = [holder as Record<string, unknown>]
  for (let here = open.pop(); here !== undefined && left > 0; here = open.pop()) {
    for (const key in here) {
      const value = here[key]
      if (typeof value === 'string') {
        // Comparing the first character excludes nearly all texts quickly.
        if (value.charCodeAt(0) !== MARK_START || !value.startsWith(MARK)) continue
        here[key] = parseInteger(value.slice(MARK.length))
        left--
      } else if (typeof value === 'object' && value !== null) open.push(value as Record<string, unknown>)
    }
  }
}

/** Returns a number up to 2^53 - 1, and a bigint beyond. */
export function parseInteger(digits: string): number | bigint {
  const number = Number(digits)
  return Number.isSafeInteger(number) ? number : BigInt(digits)
}

const MARKED_TEXT = new RegExp(`"${MARK}(-?\\d+)"`, 'g')

/** Returns JSON, indented by `indent` blanks if given. A bigint becomes an integer with all its digits. */
export function stringifyJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent) ?? 'null'
  } catch (error) {
    // The value contains a bigint, or a circular reference, for which the next line fails again.
    if (!(error instanceof TypeError)) throw error
    const marked = JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? MARK + part : part), indent)
    return marked.replace(MARKED_TEXT, '$1')
  }
}

/** Whether objects and lists are nested deeper than `levels`. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) return value.some((one) => isDeeper(one, levels - 1))
  for (const key in value) {
    const part = (value as Record<string, unknown>)[key]
    if (typeof part === 'object' && isDeeper(part, levels - 1)) return true
  }
  return false
}
