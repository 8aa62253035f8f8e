import { shapeOf } from '../../../contract/wire-shape.ts'
import type { Resource } from '../../../resources/resource.ts'
import { ACCOUNT, readColumns } from '../../tables.ts'
import {
  addRows,
  type ColumnBuffer,
  copyValue,
  putInteger,
  putText,
  type TableBuffer,
} from '../column-buffer.ts'
import { type Notes, writeBytes } from '../notes.ts'
import { readElements } from './elements.ts'
import { CHILD, type Field, fieldsOf, INTEGER, TEXT } from './fields.ts'
import { createChildReader } from './read-children.ts'
import { readFields } from './read-fields.ts'
import { readValue, readWithin } from './read-value.ts'
import { type Cursor, parseText, unusual, utf8 } from './scan.ts'

/** What the records of a page are read into. */
export interface PageRoom {
  readonly main: TableBuffer
  readonly children: readonly TableBuffer[]
  /** Texts that do not stand in the answer as they are to be stored. */
  readonly notes: Notes
  /** What is said of the children of the record that is read just now. */
  readonly ofChildren: Notes
}

/**
 * Reads the list of records that begins here.
 * @returns the key of each
 */
export type RecordsReader = (cursor: Cursor, room: PageRoom) => string[]

/** Columns before those of the resource: the number of the row. */
const BEFORE = 1

/** @returns undefined for a resource whose records are not read from bytes */
export function createRecordsReader(resource: Resource): RecordsReader | undefined {
  const [keyName, ...moreKeys] = resource.key
  const [onlyChild, ...moreChildren] = resource.children
  const shape = shapeOf(resource.record)
  if (resource.scrub || shape.kind !== 'record' || moreKeys.length > 0 || moreChildren.length > 0)
    return undefined
  const columns = readColumns(resource)
  const place = columns.findIndex((column) => column.name === keyName)
  const child = onlyChild && createChildReader(onlyChild, shape.fields[onlyChild.path[0]!], BEFORE + 2)
  const fields = fieldsOf(shape, resource.columns, {
    offset: BEFORE,
    skip: ACCOUNT.name,
    child: child?.field,
  })
  if (fields === undefined || place < 0 || (onlyChild && !child)) return undefined
  const keyColumn = BEFORE + place
  const childText = BEFORE + columns.length + 1

  return (cursor, { main, children, notes, ofChildren }) => {
    const keys: string[] = []
    const elements = children[0]
    let row = 0

    function read(field: Field) {
      const start = cursor.at
      if (field.kind === CHILD) child!.read(cursor, elements!, notes, ofChildren)
      else if (field.column < 0) readWithin(cursor, field)
      else readValue(cursor, field, main.columns[field.column]!, row, notes)
      if (field.column === keyColumn) keys.push(keyText(cursor, field, start))
    }

    function readRecord() {
      const firstElement = elements?.rows ?? 0
      row = main.rows
      addRows(main)
      ofChildren.used = 0
      readFields(cursor, fields!, read)
      if (keys.length !== main.rows) throw unusual
      putInteger(main.columns[0]!, row, row)
      const start = notes.used
      writeBytes(notes, ofChildren.bytes, 0, ofChildren.used)
      putText(main.columns[childText]!, row, notes.bytes, start, notes.used, cursor.bytes.length + start)
      if (elements) nameParent(elements, firstElement, row, main.columns[keyColumn]!)
    }

    readElements(cursor, readRecord)
    return keys
  }
}

/** The key that has just been read, as one text. */
function keyText({ bytes, at }: Cursor, { kind }: Field, start: number): string {
  if (kind === INTEGER) return utf8(bytes, start, at)
  if (kind !== TEXT) throw unusual
  return parseText(bytes, start, at)
}

/** Writes the number and the key of the parent into its elements, and the place of each in the list. */
function nameParent(elements: TableBuffer, first: number, row: number, key: ColumnBuffer) {
  const [number, parentKey, ordinal] = elements.columns
  for (let element = first; element < elements.rows; element++) {
    putInteger(number!, element, row)
    copyValue(parentKey!, element, key, row)
    putInteger(ordinal!, element, element - first)
  }
}
