import type { WireShape } from '../../../contract/wire-shape.ts'
import type { Child } from '../../../resources/resource.ts'
import { addRows, type TableBuffer } from '../column-buffer.ts'
import { type Notes, writeBytes, writeText } from '../notes.ts'
import { readElements } from './elements.ts'
import { type Field, FLAG, fieldsOf, unwrap } from './fields.ts'
import { readFields } from './read-fields.ts'
import { readValue } from './read-value.ts'
import { type Cursor, parseText, QUOTE } from './scan.ts'

/** Reads the list of a child, element by element. */
export interface ChildReader {
  /** Name of the field that holds the list. */
  readonly field: string
  /**
   * Reads the list that begins here into the child's table.
   * @param said is given what `childrenText` says of the list: the text by which a record's hash counts its children
   */
  read(cursor: Cursor, table: TableBuffer, notes: Notes, said: Notes): void
}

/**
 * Makes the reader of a child.
 * @param before columns of the child's table before its own: the parent's number and key, and the place in the list
 * @returns undefined where the child's elements are not read from bytes
 */
export function createChildReader(
  child: Child,
  shape: WireShape | undefined,
  before: number,
): ChildReader | undefined {
  const [field, ...deeper] = child.path
  const list = shape && unwrap(shape).shape
  if (field === undefined || deeper.length > 0 || list?.kind !== 'list') return undefined
  const fields = fieldsOf(list.element, child.columns, { offset: before })
  if (fields === undefined) return undefined
  // Their texts are not said of values that are made of others.
  if ([...fields.byName.values()].some(({ kind }) => kind > FLAG)) return undefined
  const title = encode(`${child.table}:`)
  const inOrder = [...fields.byName.values()].map((one) => ({ one, start: 0, end: 0 }))

  function writeElement(cursor: Cursor, record: number, said: Notes) {
    for (const { one, start, end } of inOrder) {
      if (one.metIn !== record) writeAll(said, UNDEFINED)
      else if (end === 0) writeAll(said, NULL)
      else writeValue(cursor.bytes, start, end, said)
    }
  }

  return {
    field,
    read(cursor, table, notes, said) {
      function readOne(one: Field) {
        const place = inOrder[one.column - before]!
        place.start = cursor.at
        readValue(cursor, one, table.columns[one.column]!, table.rows - 1, notes)
        place.end = cursor.at
      }
      writeAll(said, title)
      readElements(cursor, () => {
        addRows(table)
        for (const place of inOrder) place.end = 0
        writeElement(cursor, readFields(cursor, fields, readOne), said)
      })
    },
  }
}

const encode = (text: string) => new TextEncoder().encode(text)
const UNDEFINED = encode('undefined,')
const NULL = encode('null,')
const COMMA = encode(',')
const BACKSLASH = 0x5c

function writeAll(said: Notes, bytes: Uint8Array) {
  writeBytes(said, bytes, 0, bytes.length)
}

/** Texts between quotes, as `JSON.stringify` writes them; all else as it stands, and a comma. */
function writeValue(bytes: Buffer, start: number, end: number, said: Notes) {
  if (bytes[start] !== QUOTE) {
    writeBytes(said, bytes, start, end)
    writeAll(said, COMMA)
  } else if (bytes.subarray(start, end).includes(BACKSLASH))
    writeText(said, JSON.stringify(parseText(bytes, start, end)))
  else writeBytes(said, bytes, start, end)
}
