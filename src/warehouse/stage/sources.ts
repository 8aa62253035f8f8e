import type { Column, ColumnType } from '../../resources/column.ts'
import type { Child, Resource } from '../../resources/resource.ts'
import { at, type RecordRow } from '../record.ts'
import { keyColumns, readColumns } from '../tables.ts'

/** One column to write: its name, its type, and how to take its value from a row. */
export interface Source<Row> {
  readonly name: string
  readonly type: ColumnType
  readonly value: (row: Row) => unknown
}

/** Number of a row in its batch, so that the rows of a child find their parent even when its key comes twice. */
export const STAGE_ROW = '_row'
/** Fields that the service's document does not name. */
export const STAGE_EXTRA = '_extra'
/** All children as one text, so that one hash covers a record with its children. */
export const STAGE_CHILDREN = '_children'

/** A record with its place in the batch. */
export interface Numbered {
  readonly number: number
  readonly record: RecordRow
}

/** One element of a child list, with the record it came from. */
export interface Element {
  readonly parent: Numbered
  readonly ordinal: number
  readonly value: unknown
}

/** What is staged of a record: its number, the resource's columns, what is undocumented, and its children as a text. */
export function recordSources(resource: Resource): Source<Numbered>[] {
  return [
    { name: STAGE_ROW, type: 'BIGINT', value: (row) => row.number },
    ...readColumns(resource).map(sourceOf),
    { name: STAGE_EXTRA, type: 'JSON', value: ({ record }) => record[STAGE_EXTRA] },
    { name: STAGE_CHILDREN, type: 'VARCHAR', value: ({ record }) => childrenText(resource, record) },
  ]
}

/** What is staged of an element: its parent's number and key, its place in the list, and the child's columns. */
export function elementSources(resource: Resource, child: Child): Source<Element>[] {
  return [
    { name: STAGE_ROW, type: 'BIGINT', value: (element) => element.parent.number },
    ...keyColumns(resource).map(({ name, type, path }) => ({
      name,
      type,
      value: (element: Element) => at(element.parent.record, path),
    })),
    { name: 'ordinal', type: 'BIGINT', value: (element) => element.ordinal },
    ...child.columns.map(({ name, type, path }) => ({
      name,
      type,
      value: (element: Element) => at(element.value, path),
    })),
  ]
}

/** The elements of a child's list, record by record. */
export function elementsOf(records: readonly Numbered[], child: Child): Element[] {
  const elements: Element[] = []
  for (const parent of records) {
    const list = at(parent.record, child.path)
    if (!Array.isArray(list)) continue
    for (let ordinal = 0; ordinal < list.length; ordinal++) {
      elements.push({ parent, ordinal, value: list[ordinal] })
    }
  }
  return elements
}

function sourceOf({ name, type, path }: Column): Source<Numbered> {
  const [first, ...rest] = path
  // Nearly every column is a field of the record itself: one look-up, no loop.
  const value =
    first !== undefined && rest.length === 0
      ? ({ record }: Numbered) => record[first]
      : ({ record }: Numbered) => at(record, path)
  return { name, type, value }
}

/** Every value of every child, in order: two records with the same text have the same children. */
function childrenText(resource: Resource, row: RecordRow): string {
  let text = ''
  for (const child of resource.children) {
    const list = at(row, child.path)
    if (!Array.isArray(list)) continue
    text += `${child.table}:`
    for (const element of list) {
      for (const column of child.columns) {
        const value = at(element, column.path)
        text += typeof value === 'string' ? JSON.stringify(value) : `${value},`
      }
    }
  }
  return text
}
