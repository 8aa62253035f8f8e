import { parseJson } from '../../../contract/json.ts'
import {
  addRows,
  type ColumnBuffer,
  putFlag,
  putInteger,
  putList,
  putText,
  putTime,
} from '../column-buffer.ts'
import { jsonText } from '../json-text.ts'
import { type Notes, writeText } from '../notes.ts'
import { readElements } from './elements.ts'
import { type Field, FLAG, INTEGER, INTEGERS, OBJECT, OBJECTS, TEXT, TEXTS, TIME } from './fields.ts'
import { passValue } from './pass-value.ts'
import {
  type Cursor,
  FALSE,
  OPEN_OBJECT,
  PLAIN,
  parseText,
  passText,
  passWord,
  readInteger,
  TRUE,
  unusual,
  utf8,
} from './scan.ts'

/** Reads the value of a field that begins here, and is not null, into its column. */
export function readValue(
  cursor: Cursor,
  field: Field,
  column: ColumnBuffer,
  row: number,
  notes: Notes,
): void {
  switch (field.kind) {
    case TEXT:
      readText(cursor, field, column, row, notes)
      break
    case INTEGER:
      putInteger(column, row, readWithin(cursor, field))
      break
    case TIME:
      putTime(column, row, readWithin(cursor, field))
      break
    case FLAG:
      putFlag(column, row, readFlag(cursor))
      break
    case OBJECT:
      if (cursor.bytes[cursor.at] !== OPEN_OBJECT) throw unusual
      readJson(cursor, column, row, notes)
      break
    case OBJECTS:
      readObjects(cursor, column, row, notes)
      break
    case INTEGERS:
    case TEXTS:
      readList(cursor, field, column, row, notes)
      break
    default:
      throw unusual
  }
}

/** Reads an integer within the bounds of the field. */
export function readWithin(cursor: Cursor, field: Field): number | bigint {
  const value = readInteger(cursor)
  const fits =
    typeof value === 'number'
      ? value >= field.low && value <= field.high
      : value >= field.min && value <= field.max
  if (!fits) throw unusual
  return value
}

function readFlag(cursor: Cursor): boolean {
  if (passWord(cursor, TRUE)) return true
  if (passWord(cursor, FALSE)) return false
  throw unusual
}

function readText(cursor: Cursor, field: Field, column: ColumnBuffer, row: number, notes: Notes): void {
  const { bytes, at } = cursor
  const isPlain = passText(cursor) === PLAIN
  const { pattern } = field
  if (pattern && !(isPlain && pattern.test(utf8(bytes, at + 1, cursor.at - 1)))) throw unusual
  if (isPlain) putText(column, row, bytes, at + 1, cursor.at - 1, at + 1)
  else putNote(cursor, column, row, notes, parseText(bytes, at, cursor.at))
}

/** Puts a text that does not stand in the answer. */
function putNote(cursor: Cursor, column: ColumnBuffer, row: number, notes: Notes, text: string): void {
  const start = notes.used
  writeText(notes, text)
  putText(column, row, notes.bytes, start, notes.used, cursor.bytes.length + start)
}

/** JSON is stored as we write it, whatever way the service does. */
function readJson(cursor: Cursor, column: ColumnBuffer, row: number, notes: Notes): void {
  const { bytes, at } = cursor
  if (passValue(cursor)) putText(column, row, bytes, at, cursor.at, at)
  else putNote(cursor, column, row, notes, jsonText(parseJson(utf8(bytes, at, cursor.at))))
}

function readObjects(cursor: Cursor, column: ColumnBuffer, row: number, notes: Notes): void {
  const { at } = cursor
  // Once to see that its elements are objects, once more to see how they are written: such lists are short, and rare.
  readElements(cursor, () => {
    if (cursor.bytes[cursor.at] !== OPEN_OBJECT) throw unusual
    passValue(cursor)
  })
  cursor.at = at
  readJson(cursor, column, row, notes)
}

function readList(cursor: Cursor, field: Field, list: ColumnBuffer, row: number, notes: Notes): void {
  const elements = list.elements!
  const column = elements.columns[0]!
  const first = elements.rows
  readElements(cursor, () => {
    addRows(elements)
    const element = elements.rows - 1
    if (field.kind === TEXTS) readText(cursor, field, column, element, notes)
    else putInteger(column, element, readWithin(cursor, field))
  })
  putList(list, row, first, elements.rows - first)
}
