import { isLast } from './elements.ts'
import {
  CANONICAL,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  type Cursor,
  FALSE,
  NULL,
  nextByte,
  OPEN_LIST,
  OPEN_OBJECT,
  PLAIN,
  pass,
  passText,
  passWord,
  QUOTE,
  TRUE,
  unusual,
  utf8,
} from './scan.ts'

const DEEPEST = 32
/** Integers up to here are written as they are read, whatever their size. */
const INTEGER = /^(?:0|-?[1-9]\d{0,17})$/
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

const WORDS = [TRUE, FALSE, NULL]

/**
 * Moves behind the value that begins here, of any kind.
 * @returns whether `JSON.stringify` would write the parsed value with these very bytes: no white space, no digits nor
 * escapes that could be written otherwise, no key that comes twice or that an object would put in another place
 */
export function passValue(cursor: Cursor, depth = 0): boolean {
  if (depth > DEEPEST) throw unusual
  if (depth === 0) keys = 0
  const byte = cursor.bytes[cursor.at]!
  if (byte === QUOTE) return passText(cursor) <= CANONICAL
  if (byte === OPEN_OBJECT) return passObject(cursor, depth)
  if (byte === OPEN_LIST) return passList(cursor, depth)
  for (const word of WORDS) if (passWord(cursor, word)) return true
  return passNumber(cursor)
}

function passNumber(cursor: Cursor): boolean {
  const { bytes, at } = cursor
  let end = at
  while (bytes[end]! >= 0x30 && bytes[end]! <= 0x39) end++
  // Nearly every number is a short one without sign, fraction or exponent.
  const isPlain = end > at && end - at < 16 && (bytes[at] !== 0x30 || end - at === 1)
  if (isPlain && !isOfNumber(bytes[end]!)) {
    cursor.at = end
    return true
  }
  end = at
  while (isOfNumber(bytes[end]!)) end++
  const written = utf8(bytes, at, end)
  if (!NUMBER.test(written)) throw unusual
  cursor.at = end
  return INTEGER.test(written)
}

/** Digits, signs, point and exponent. */
function isOfNumber(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    byte === 0x2d ||
    byte === 0x2b ||
    byte === 0x2e ||
    (byte | 0x20) === 0x65
  )
}

function passList(cursor: Cursor, depth: number): boolean {
  const { bytes } = cursor
  let isCanonical = true
  cursor.at++
  if (bytes[cursor.at] === CLOSE_LIST) {
    cursor.at++
    return true
  }
  for (;;) {
    isCanonical = isHere(cursor) && isCanonical
    isCanonical = passValue(cursor, depth + 1) && isCanonical
    isCanonical = isHere(cursor) && isCanonical
    if (isLast(cursor, CLOSE_LIST)) return isCanonical
  }
}

/** Hashes of the keys of the objects that are open, the innermost last. */
const keyHashes = new Int32Array(1_024)
let keys = 0

function passObject(cursor: Cursor, depth: number): boolean {
  const { bytes } = cursor
  const first = keys
  let isCanonical = true
  cursor.at++
  if (bytes[cursor.at] === CLOSE_OBJECT) {
    cursor.at++
    return true
  }
  for (;;) {
    isCanonical = isHere(cursor) && isCanonical
    isCanonical = passName(cursor, first) && isCanonical
    isCanonical = isHere(cursor) && isCanonical
    pass(cursor, COLON)
    isCanonical = isHere(cursor) && isCanonical
    isCanonical = passValue(cursor, depth + 1) && isCanonical
    isCanonical = isHere(cursor) && isCanonical
    if (isLast(cursor, CLOSE_OBJECT)) {
      keys = first
      return isCanonical
    }
  }
}

/** Digits come first in an object; of a key that comes twice, the last value stands in the first place. */
function passName(cursor: Cursor, first: number): boolean {
  const { bytes, at } = cursor
  if (passText(cursor) !== PLAIN) return false
  const begin = bytes[at + 1]! - 0x30
  if (begin >= 0 && begin <= 9) return false
  let hash = 0
  for (let i = at + 1; i < cursor.at - 1; i++) hash = (Math.imul(hash, 31) + bytes[i]!) | 0
  for (let i = first; i < keys; i++) if (keyHashes[i] === hash) return false
  if (keys === keyHashes.length) return false
  keyHashes[keys++] = hash
  return true
}

/** Moves behind white space; false if there was some. */
function isHere(cursor: Cursor): boolean {
  const { at } = cursor
  nextByte(cursor)
  return cursor.at === at
}
