import { isLast } from './elements.ts'
import type { Field, Fields } from './fields.ts'
import {
  CLOSE_OBJECT,
  COLON,
  type Cursor,
  NULL,
  nextByte,
  OPEN_OBJECT,
  pass,
  passKey,
  passWord,
  readPlainText,
  unusual,
} from './scan.ts'

/** Records read so far; the number of one tells whether it has met a field before. */
let records = 0

/**
 * Reads the fields of the object that begins here, in whatever order they come.
 * @param read is called at the value of each field that is not null, and moves behind it
 * @returns the number of the object, which its fields have in `metIn`
 */
export function readFields(cursor: Cursor, fields: Fields, read: (field: Field) => void): number {
  const number = ++records
  let previous: Field | undefined
  let left = fields.required
  pass(cursor, OPEN_OBJECT)
  if (nextByte(cursor) === CLOSE_OBJECT) cursor.at++
  else
    do {
      nextByte(cursor)
      const expected: Field | undefined = previous === undefined ? fields.first : previous.next
      const field: Field =
        expected !== undefined && passKey(cursor, expected.key) ? expected : readKey(cursor, fields)
      if (field !== expected) follow(fields, previous, field)
      // JSON says nothing about a key that comes twice; the parser's own rule is to decide.
      if (field.metIn === number) throw unusual
      field.metIn = number
      nextByte(cursor)
      if (!field.mayBeAbsent) left--
      if (!passWord(cursor, NULL)) read(field)
      else if (!field.mayBeNull) throw unusual
      previous = field
    } while (!isLast(cursor, CLOSE_OBJECT))
  if (left > 0) throw unusual
  return number
}

function readKey(cursor: Cursor, fields: Fields): Field {
  const field = fields.byName.get(readPlainText(cursor))
  if (field === undefined) throw unusual
  pass(cursor, COLON)
  return field
}

function follow(fields: Fields, previous: Field | undefined, field: Field) {
  if (previous === undefined) fields.first = field
  else previous.next = field
}
