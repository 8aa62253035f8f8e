/**
 * Parses JSON without losing a digit. Integers beyond 2^53 - 1 become bigints. For that, each is marked and passes
 * through `JSON.parse` as a text. A parser written in JavaScript took five times as long (see test/bench/README.md).
 */

/** Mark of integers. It is random, so that no text from the service can be mistaken for a marked integer. */
const MARK = `\u007f${crypto.randomUUID()}:`
const MARK_START = 0x7f

/**
 * Parses JSON. Integers beyond 2^53 - 1 become bigint, every other number a number.
 * @param onRawControls if given, raw tabs and line breaks inside of texts are accepted, although JSON forbids them.
 * Called if there were any
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

/** Escapes tabs and line breaks inside of texts. Other control characters indicate damage and remain an error. */
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

/** Number of digits of the shortest integers that `JSON.parse` can round, which begin with a 9. */
const LONG = 16

/**
 * Turns long integers outside of texts into texts that begin with the mark. Checks only every `LONG`th position,
 * because each longer integer covers at least one of these.
 */
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
    if (!followsKey(text, start) && inText(start)) continue
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

/** Whether the digits are an entire JSON integer and not a key. Also true for such digits inside a text. */
function isToken(text: string, start: number, end: number): boolean {
  const first = text.charCodeAt(start) === MINUS ? start + 1 : start
  AFTER_VALUE.lastIndex = end
  return (
    text.charCodeAt(first) !== ZERO && BEFORE_VALUE.test(text.charAt(start - 1)) && AFTER_VALUE.test(text)
  )
}

/**
 * Whether the position follows a key, or a key and the bracket of a list, and is thus outside of texts. A quote after a
 * letter, digit or underscore can only be a closing quote.
 */
function followsKey(text: string, position: number): boolean {
  const colon = text.charCodeAt(position - 1) === 0x5b ? position - 2 : position - 1
  return (
    text.charCodeAt(colon) === 0x3a &&
    text.charCodeAt(colon - 1) === 0x22 &&
    isWord(text.charCodeAt(colon - 2))
  )
}

function isWord(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x41 && code <= 0x5a) ||
    code === 0x5f
  )
}

/** Returns a function that reports whether a position is inside a text. Call it with increasing positions. */
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

/**
 * Converts `count` marked texts to integers in place. Not recursive, because JSON can be nested deeper than calls can.
 */
function restoreIntegers(holder: object, count: number): void {
  let left = count
  const open: Record<string, unknown>[] = [holder as Record<string, unknown>]
  for (let here = open.pop(); here !== undefined && left > 0; here = open.pop()) {
    for (const key in here) {
      const value = here[key]
      if (typeof value === 'string') {
        // Comparing the first character excludes nearly all texts quickly.
        if (value.charCodeAt(0) !== MARK_START || !value.startsWith(MARK)) continue
        here[key] = integer(value.slice(MARK.length))
        left--
      } else if (typeof value === 'object' && value !== null) open.push(value as Record<string, unknown>)
    }
  }
}

function integer(digits: string): number | bigint {
  const number = Number(digits)
  return Number.isSafeInteger(number) ? number : BigInt(digits)
}

const MARKED_TEXT = new RegExp(`"${MARK}(-?\\d+)"`, 'g')

/** Writes JSON, indented by `indent` blanks if given. A bigint becomes an integer with all its digits. */
export function stringifyJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent) ?? 'null'
  } catch (error) {
    // The cause is a bigint, or a circular reference, which fails again below.
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
