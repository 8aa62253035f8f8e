import { isLast } from './elements.ts'
import { passValue } from './pass-value.ts'
import {
  CLOSE_OBJECT,
  COLON,
  type Cursor,
  nextByte,
  OPEN_OBJECT,
  pass,
  readPlainText,
  unusual,
} from './scan.ts'

/**
 * Reads the value at the end of the path, from the object that begins here, and passes all that is around it.
 * @param read is called at the value and moves behind it
 */
export function readAt(cursor: Cursor, path: readonly string[], read: () => void): void {
  const [name, ...deeper] = path
  const readFound = deeper.length === 0 ? read : () => readAt(cursor, deeper, read)
  let isFound = false
  pass(cursor, OPEN_OBJECT)
  if (nextByte(cursor) === CLOSE_OBJECT) throw unusual
  do {
    nextByte(cursor)
    const key = readPlainText(cursor)
    pass(cursor, COLON)
    nextByte(cursor)
    if (key !== name) passValue(cursor)
    else if (isFound) throw unusual
    else {
      readFound()
      isFound = true
    }
  } while (!isLast(cursor, CLOSE_OBJECT))
  if (!isFound) throw unusual
}
