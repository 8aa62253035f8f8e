import { CLOSE_LIST, COMMA, type Cursor, nextByte, OPEN_LIST, pass, unusual } from './scan.ts'

/** Moves behind the list that begins here. @param read is called at each element and moves behind it */
export function readElements(cursor: Cursor, read: () => void): void {
  pass(cursor, OPEN_LIST)
  if (nextByte(cursor) === CLOSE_LIST) {
    cursor.at++
    return
  }
  do {
    nextByte(cursor)
    read()
  } while (!isLast(cursor, CLOSE_LIST))
}

/** Moves behind what ends an element: false for a comma, true for what closes them all. */
export function isLast(cursor: Cursor, close: number): boolean {
  const byte = nextByte(cursor)
  cursor.at++
  if (byte === COMMA) return false
  if (byte === close) return true
  throw unusual
}
