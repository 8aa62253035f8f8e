import {
  BIGINT,
  BOOLEAN,
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBType,
  LIST,
  TIMESTAMPTZ,
  VARCHAR,
} from '@duckdb/node-api'
import duckdb, { type DataChunk } from '@duckdb/node-bindings'
import type { Column, ColumnType } from '../resources/column.ts'
import type { Child, Resource } from '../resources/resource.ts'
import { name } from './quote.ts'
import { keyColumns } from './tables.ts'
import { CHUNK_ROWS, columnVector } from './vectors.ts'

/** A record of the service after validation. */
export type RecordRow = Readonly<Record<string, unknown>>

/** Temporary table that holds a batch of a resource before it is merged. */
export const stageOf = (table: string) => `stage_${table}`

const DUCKDB_TYPE: Record<ColumnType, DuckDBType> = {
  VARCHAR,
  JSON: VARCHAR,
  BIGINT,
  BOOLEAN,
  TIMESTAMPTZ,
  'BIGINT[]': LIST(BIGINT),
  'VARCHAR[]': LIST(VARCHAR),
}

/** What is staged for one column: how to take its value from a row of type `Row`. */
interface Source<Row> {
  readonly name: string
  readonly type: ColumnType
  readonly value: (row: Row) => unknown
}

/** One element of a child list, with the record it came from. */
interface Element {
  readonly parent: RecordRow
  readonly ordinal: number
  readonly value: unknown
}

/**
 * Puts records into fresh temporary tables, `stage_<table>` for the resource and for each of its children.
 * Besides the resource's columns the stage has `_children`, the children as one text, so that one hash covers them.
 * @returns the number of rows staged
 */
export async function stage(connection: DuckDBConnection, resource: Resource, records: readonly RecordRow[]) {
  await fill(connection, resource.table, recordSources(resource), records)
  for (const child of resource.children) {
    await fill(connection, child.table, elementSources(resource, child), elementsOf(records, child))
  }
  return records.length
}

/** Columns of the resource's own stage that are not columns of the service. */
export const STAGE_EXTRA = '_extra'
export const STAGE_CHILDREN = '_children'

function recordSources(resource: Resource): Source<RecordRow>[] {
  return [
    ...resource.columns.map(sourceOf),
    { name: STAGE_EXTRA, type: 'JSON', value: (row) => row[STAGE_EXTRA] },
    { name: STAGE_CHILDREN, type: 'VARCHAR', value: (row) => childrenText(resource, row) },
  ]
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

function elementSources(resource: Resource, child: Child): Source<Element>[] {
  return [
    ...keyColumns(resource).map((column) => ({
      ...sourceOf(column),
      value: (element: Element) => at(element.parent, column.path),
    })),
    { name: 'ordinal', type: 'BIGINT', value: (element) => element.ordinal },
    ...child.columns.map((column) => ({
      ...sourceOf(column),
      value: (element: Element) => at(element.value, column.path),
    })),
  ]
}

function sourceOf(column: Column): Source<RecordRow> {
  const [first, ...rest] = column.path
  // Nearly every column is a field of the record itself: one look-up, no loop.
  const value =
    first !== undefined && rest.length === 0
      ? (row: RecordRow) => row[first]
      : (row: RecordRow) => at(row, column.path)
  return { name: column.name, type: column.type, value }
}

/** The value at the end of the path, undefined where it breaks off. */
export function at(value: unknown, path: readonly string[]): unknown {
  let here = value
  for (const step of path) {
    if (here === null || typeof here !== 'object') return undefined
    here = (here as RecordRow)[step]
  }
  return here
}

function elementsOf(records: readonly RecordRow[], child: Child): Element[] {
  const elements: Element[] = []
  for (const parent of records) {
    const list = at(parent, child.path)
    if (!Array.isArray(list)) continue
    for (let ordinal = 0; ordinal < list.length; ordinal++)
      elements.push({ parent, ordinal, value: list[ordinal] })
  }
  return elements
}

async function fill<Row>(
  connection: DuckDBConnection,
  table: string,
  sources: readonly Source<Row>[],
  rows: readonly Row[],
) {
  const columns = sources.map((source) => `${name(source.name)} ${source.type}`)
  await connection.run(`create or replace temp table ${name(stageOf(table))} (${columns.join(', ')})`)
  const appender = await connection.createAppender(stageOf(table))
  try {
    const types = sources.map((source) => DUCKDB_TYPE[source.type])
    const vectors = sources.map((source) => columnVector(source.type))
    for (let start = 0; start < rows.length; start += CHUNK_ROWS) {
      const count = Math.min(CHUNK_ROWS, rows.length - start)
      const chunk = DuckDBDataChunk.create(types, count)
      for (let column = 0; column < sources.length; column++) {
        const { value } = sources[column]!
        const vector = vectors[column]!
        for (let row = 0; row < count; row++) vector.set(row, value(rows[start + row]!))
        vector.flush(duckdb.data_chunk_get_vector(chunk.chunk as unknown as DataChunk, column), count)
      }
      appender.appendDataChunk(chunk)
    }
  } finally {
    appender.closeSync()
  }
}
