/**
 * Prefix of the strings that temporarily replace integers that `JSON.parse` would round. The prefix is random, so that
 * no string from the service has it. A parser in JavaScript would take five times as long (test/bench/README.md).
 */
const MARK = `\u007f${crypto.randomUUID()}:`
const MARK_START = 0x7f

/**
 * Integers beyond 2^53 - 1 become bigints.
 * @param onRawControls called if strings contain raw tabs or line breaks, which are otherwise an error
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

/** Escapes tabs and line breaks in strings. Other control characters are a sign of damage and remain an error. */
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

/** `JSON.parse` can round integers of at least this many digits, but 16 digits only if the first is 9. */
const LONG = 16

/** Marks long integers outside of strings. Checks every 16th position, because a long integer covers one of them. */
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

/** Whether the digits look like an entire JSON integer. They can still be inside a string. */
function isToken(text: string, start: number, end: number): boolean {
  const first = text.charCodeAt(start) === MINUS ? start + 1 : start
  AFTER_VALUE.lastIndex = end
  return (
    text.charCodeAt(first) !== ZERO && BEFORE_VALUE.test(text.charAt(start - 1)) && AFTER_VALUE.test(text)
  )
}

/** Returns a function that checks whether a position is inside a JSON string. Positions must increase. */
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

function isEscaped(text: string, position: number): boolean {
  let first = position
  while (text.charCodeAt(first - 1) === 0x5c) first--
  return (position - first) % 2 === 1
}

/** Restores `count` integers from marked strings, in place. Not recursive: deep nesting would overflow the stack. */
function restoreIntegers(holder: object, count: number): void {
  let left = count
  const open: Record<string, unknown>[] = [holder as Record<string, unknown>]
  for (let here = open.pop(); here !== undefined && left > 0; here = open.pop()) {
    for (const key in here) {
      const value = here[key]
      if (typeof value === 'string') {
        // Comparing the first character excludes nearly all strings quickly.
        if (value.charCodeAt(0) !== MARK_START || !value.startsWith(MARK)) continue
        here[key] = parseInteger(value.slice(MARK.length))
        left--
      } else if (typeof value === 'object' && value !== null) open.push(value as Record<string, unknown>)
    }
  }
}

/** Converts digits to a number if that is exact (up to 2^53 - 1), otherwise to a bigint. */
export function parseInteger(digits: string): number | bigint {
  const number = Number(digits)
  return Number.isSafeInteger(number) ? number : BigInt(digits)
}

const MARKED_TEXT = new RegExp(`"${MARK}(-?\\d+)"`, 'g')

/** Converts a value to JSON, indented by `indent` spaces if given. A bigint becomes an integer with all its digits. */
export function stringifyJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent) ?? 'null'
  } catch (error) {
    // A TypeError means a bigint or a circular reference. With a circular reference, the second attempt fails too.
    if (!(error instanceof TypeError)) throw error
    const marked = JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? MARK + part : part), indent)
    return marked.replace(MARKED_TEXT, '$1')
  }
}

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
