/**
 * JSON without losing a digit: integers beyond 2^53 - 1 are bigints on this side. Almost every text has none and takes
 * the engine's own parser. Where there is one, it crosses the engine as a marked text, which keeps the engine's speed:
 * a parser written in JavaScript took five times as long (see test/bench/README.md).
 */

/** A number of 17 digits or more, or of 16 that begin with a 9: the only ones that may not survive `JSON.parse`. */
const MAY_BE_LONG = /(?:^|[:,[\s])-?(?:9\d{15}|\d{17})/

/** The same outside of fractions and exponents, and only where a value can end; also inside texts, alas. */
const CANDIDATE = /(^|[:,[\s])(-?(?:9\d{15}|[1-9]\d{16,}))(?=[\s,\]}]|$)(?!\s*:)/g

/** Nobody can know it, so no text of the service can be taken for a marked integer. */
const MARK = `${crypto.randomUUID()}:`

/**
 * Parses JSON. Integers beyond 2^53 - 1 become bigint, every other number a number.
 * @throws SyntaxError when the text is not JSON
 */
export function parseJson(text: string): unknown {
  if (!MAY_BE_LONG.test(text)) return JSON.parse(text)
  const holder = { value: JSON.parse(markIntegers(text)) as unknown }
  restoreIntegers(holder)
  return holder.value
}

/** Puts every long integer that does not stand inside a text between quotes, behind the mark. */
function markIntegers(text: string): string {
  const inText = quoteScanner(text)
  let marked = ''
  let copied = 0
  for (const { index, 0: match, 1: before, 2: digits } of text.matchAll(CANDIDATE)) {
    const start = index + before!.length
    if (!followsKey(text, start) && inText(start)) continue
    marked += `${text.slice(copied, start)}"${MARK}${digits}"`
    copied = index + match.length
  }
  return marked + text.slice(copied)
}

/**
 * Whether the position directly follows a key, or a key and the bracket of a list: then it is outside of texts without
 * looking at all quotes before it. A quote behind a letter, digit or underscore can only be one that closes.
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

/** Tells of positions, asked in rising order, whether they lie inside a text. One pass over all quotes. */
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

/** Whether an odd number of backslashes stands before the position. */
function isEscaped(text: string, position: number): boolean {
  let first = position
  while (text.charCodeAt(first - 1) === 0x5c) first--
  return (position - first) % 2 === 1
}

/** Turns marked texts into integers, in place; with a stack of its own, since JSON may be nested deeper than calls. */
function restoreIntegers(holder: object): void {
  const open: Record<string, unknown>[] = [holder as Record<string, unknown>]
  for (let here = open.pop(); here !== undefined; here = open.pop()) {
    for (const key in here) {
      const value = here[key]
      if (typeof value === 'string') {
        if (value.startsWith(MARK)) here[key] = integer(value.slice(MARK.length))
      } else if (typeof value === 'object' && value !== null) open.push(value as Record<string, unknown>)
    }
  }
}

function integer(digits: string): number | bigint {
  const number = Number(digits)
  return Number.isSafeInteger(number) ? number : BigInt(digits)
}

const MARKED_TEXT = new RegExp(`"${MARK}(-?\\d+)"`, 'g')

/** Writes JSON, indented by so many blanks if given; a bigint becomes an integer token with all its digits. */
export function stringifyJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent) ?? 'null'
  } catch (error) {
    // A bigint brings us here, or a circle, which fails again below.
    if (!(error instanceof TypeError)) throw error
    const marked = JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? MARK + part : part), indent)
    return marked.replace(MARKED_TEXT, '$1')
  }
}
