/** The bytes of an answer and how far they have been read. */
export interface Cursor {
  readonly bytes: Buffer
  /** The same bytes, to look at four of them at once. */
  readonly view: DataView
  at: number
}

/** A cursor at the first byte. */
export function cursorOver(bytes: Buffer): Cursor {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), at: 0 }
}

/** Thrown for whatever is not read here, malformed or merely rare: the whole answer then takes the way through objects. */
export const unusual = new Error('not read from bytes')

export const QUOTE = 0x22
export const COMMA = 0x2c
export const COLON = 0x3a
export const OPEN_LIST = 0x5b
export const CLOSE_LIST = 0x5d
export const OPEN_OBJECT = 0x7b
export const CLOSE_OBJECT = 0x7d
const BACKSLASH = 0x5c
const MINUS = 0x2d
const ZERO = 0x30
const BLANK = 0x20

/** How a text is written. */
export const PLAIN = 0
/** With escapes, those that `JSON.stringify` writes too. */
export const CANONICAL = 1
/** With escapes that could be written otherwise. */
export const ESCAPED = 2

/** 1 for a byte that does not simply stand for itself inside of a text. */
const ENDS_RUN = new Uint8Array(256)
ENDS_RUN.fill(1, 0, BLANK)
ENDS_RUN[QUOTE] = 1
ENDS_RUN[BACKSLASH] = 1

const SHORT_ESCAPES = new Set([...'"\\bfnrt'].map((letter) => letter.charCodeAt(0)))

/** Moves to the next byte that is not white space and returns it. */
export function nextByte(cursor: Cursor): number {
  const { bytes } = cursor
  let byte = bytes[cursor.at]!
  while (byte <= BLANK) {
    if (byte !== BLANK && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) throw unusual
    byte = bytes[++cursor.at]!
  }
  return byte
}

/** Moves behind the byte, and behind white space before it. */
export function pass(cursor: Cursor, byte: number): void {
  if (nextByte(cursor) !== byte) throw unusual
  cursor.at++
}

/** A key as it is written, with its quotes and its colon, cut into pieces of four bytes; the last one overlaps the one before. */
export interface Key {
  readonly length: number
  readonly pieces: Int32Array
  readonly last: number
}

/** The key of a field. */
export function writtenKey(name: string): Key {
  const written = new TextEncoder().encode(`${JSON.stringify(name)}:`)
  const view = new DataView(written.buffer)
  const pieces = Int32Array.from({ length: (written.length - 1) >> 2 }, (_, index) =>
    view.getInt32(index * 4, true),
  )
  return { length: written.length, pieces, last: view.getInt32(written.length - 4, true) }
}

/** Moves behind the key and its colon if they stand here. */
export function passKey(cursor: Cursor, { length, pieces, last }: Key): boolean {
  const { bytes, view, at } = cursor
  if (at + length > bytes.length) return false
  for (let i = 0; i < pieces.length; i++) if (view.getInt32(at + i * 4, true) !== pieces[i]) return false
  if (view.getInt32(at + length - 4, true) !== last) return false
  cursor.at = at + length
  return true
}

const encode = (word: string) => new TextEncoder().encode(word)
export const TRUE = encode('true')
export const FALSE = encode('false')
export const NULL = encode('null')

/** Moves behind the word if it stands here. */
export function passWord(cursor: Cursor, word: Uint8Array): boolean {
  const { bytes, at } = cursor
  for (let i = 0; i < word.length; i++) if (bytes[at + i] !== word[i]) return false
  cursor.at = at + word.length
  return true
}

/**
 * Moves behind the text that begins here with its quote. Between the quotes lie the bytes from the former place plus 1 to
 * the new place less 1.
 * @returns how it is written
 */
export function passText(cursor: Cursor): number {
  const { bytes } = cursor
  let at = cursor.at
  let written = PLAIN
  if (bytes[at] !== QUOTE) throw unusual
  for (;;) {
    at = passRun(cursor, at + 1)
    while (ENDS_RUN[bytes[at]!] === 0) at++
    if (bytes[at] === QUOTE) break
    // A control character, or the end.
    if (bytes[at] !== BACKSLASH) throw unusual
    at++
    if (SHORT_ESCAPES.has(bytes[at]!)) written = Math.max(written, CANONICAL)
    else written = ESCAPED
  }
  cursor.at = at + 1
  return written
}

/** Passes four bytes at a time, as long as all of them simply stand for themselves inside of a text. */
function passRun({ bytes, view }: Cursor, from: number): number {
  let at = from
  for (const last = bytes.length - 4; at <= last; at += 4) {
    const four = view.getInt32(at, true)
    // Whether a byte is zero, and whether one is below 0x20: Sean Eron Anderson, Bit Twiddling Hacks.
    const quotes = four ^ 0x22222222
    const slashes = four ^ 0x5c5c5c5c
    const ends =
      ((quotes - 0x01010101) & ~quotes) | ((slashes - 0x01010101) & ~slashes) | ((four - 0x20202020) & ~four)
    if ((ends & 0x80808080) !== 0) break
  }
  return at
}

/** Digits of an integer that is surely exact as a number. */
const EXACT_DIGITS = 15

/** Reads the integer that begins here. What follows it is left to whoever reads on, so a fraction is found there. */
export function readInteger(cursor: Cursor): number | bigint {
  const { bytes, at: start } = cursor
  const isNegative = bytes[start] === MINUS
  const first = isNegative ? start + 1 : start
  let at = first
  let value = 0
  for (let digit = bytes[at]! - ZERO; digit >= 0 && digit <= 9; digit = bytes[++at]! - ZERO)
    value = value * 10 + digit
  const digits = at - first
  if (digits === 0 || (bytes[first] === ZERO && (digits > 1 || isNegative))) throw unusual
  cursor.at = at
  if (digits > EXACT_DIGITS) return BigInt(utf8(bytes, start, at))
  return isNegative ? -value : value
}

/** Some of the bytes as text. */
export function utf8(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('utf8', start, end)
}

/** Moves behind the text that begins here, and returns it; one with escapes is unusual. */
export function readPlainText(cursor: Cursor): string {
  const { bytes, at } = cursor
  if (passText(cursor) !== PLAIN) throw unusual
  return utf8(bytes, at + 1, cursor.at - 1)
}

/** The text whose JSON stands there. */
export function parseText(bytes: Buffer, start: number, end: number): string {
  return JSON.parse(utf8(bytes, start, end)) as string
}
