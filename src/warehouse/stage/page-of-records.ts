import type { Resource } from '../../resources/resource.ts'
import { keyOf, type RecordRow } from '../record.ts'
import {
  addRows,
  type ColumnBuffer,
  putFlag,
  putInteger,
  putList,
  putText,
  putTime,
  type TableBuffer,
  tableBuffer,
} from './column-buffer.ts'
import { jsonText } from './json-text.ts'
import { emptyNotes, type Notes, reserve, WIDEST, writeText } from './notes.ts'
import type { Page } from './page.ts'
import { elementSources, elementsOf, recordSources, type Source } from './sources.ts'

/** Turns records that were judged as objects into columns. Nothing of the objects is held. */
export type RecordPager = (records: readonly RecordRow[]) => Page

/** Makes the pager of a resource. */
export function createRecordPager(resource: Resource): RecordPager {
  const key = keyOf(resource)
  const sources = recordSources(resource)
  const children = resource.children.map((child) => ({ child, sources: elementSources(resource, child) }))
  return (records) => {
    const notes = emptyNotes()
    const numbered = records.map((record, number) => ({ number, record }))
    const main = tableOf(sources, numbered, notes)
    const tables = children.map((one) => tableOf(one.sources, elementsOf(numbered, one.child), notes))
    const texts = [notes.bytes.subarray(0, notes.used), new Uint8Array()] as const
    return { keys: records.map(key), main, children: tables, texts, release: () => undefined }
  }
}

function tableOf<Row>(sources: readonly Source<Row>[], rows: readonly Row[], notes: Notes): TableBuffer {
  const table = tableBuffer(
    sources.map(({ type }) => type),
    rows.length,
  )
  addRows(table, rows.length)
  sources.forEach(({ value }, index) => {
    putAll(table.columns[index]!, rows.map(value), notes)
  })
  return table
}

/** Puts the values of all rows; what a column of this type cannot hold becomes NULL. */
function putAll(column: ColumnBuffer, values: readonly unknown[], notes: Notes): void {
  if (column.type === 'VARCHAR') putTexts(column, values as readonly Text[], notes)
  else if (column.type === 'JSON') putTexts(column, values.map(textOfJson), notes)
  else if (column.elements) putLists(column, values, notes)
  else
    values.forEach((value, row) => {
      putOne(column, row, value)
    })
}

function putOne(column: ColumnBuffer, row: number, value: unknown) {
  if (typeof value === 'boolean') {
    if (column.type === 'BOOLEAN') putFlag(column, row, value)
  } else if (typeof value === 'number' || typeof value === 'bigint') {
    if (column.type === 'BIGINT') putInteger(column, row, value)
    else if (column.type === 'TIMESTAMPTZ') putTime(column, row, value)
  }
}

type Text = string | null | undefined

function textOfJson(value: unknown): Text {
  return value === null || value === undefined ? value : jsonText(value)
}

/** Encodes the texts of all rows in one call. */
function putTexts(column: ColumnBuffer, values: readonly Text[], notes: Notes) {
  const joined = values.join('')
  reserve(notes, joined.length * WIDEST)
  const first = notes.used
  const written = notes.bytes.write(joined, first)
  // As many bytes as units: nothing but ASCII.
  const measure = written === joined.length ? unitsOf : Buffer.byteLength
  let end = first
  values.forEach((value, row) => {
    if (value === null || value === undefined) return
    const start = end
    end += measure(value)
    putText(column, row, notes.bytes, start, end, start)
  })
  notes.used = end
  // Two halves of surrogate pairs have met where two texts did; each is to become U+FFFD by itself.
  if (end - first !== written) putOneByOne(column, values, notes, first)
}

function putOneByOne(column: ColumnBuffer, values: readonly Text[], notes: Notes, first: number) {
  notes.used = first
  values.forEach((value, row) => {
    if (value === null || value === undefined) return
    const start = notes.used
    writeText(notes, value)
    putText(column, row, notes.bytes, start, notes.used, start)
  })
}

function unitsOf(text: string): number {
  return text.length
}

function putLists(column: ColumnBuffer, values: readonly unknown[], notes: Notes) {
  const elements: unknown[] = []
  values.forEach((value, row) => {
    if (!Array.isArray(value)) return
    putList(column, row, elements.length, value.length)
    for (const element of value) elements.push(element)
  })
  const table = column.elements!
  addRows(table, elements.length)
  putAll(table.columns[0]!, elements, notes)
}
