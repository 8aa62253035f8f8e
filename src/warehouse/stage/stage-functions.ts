import {
  BIGINT,
  BOOLEAN,
  type DuckDBConnection,
  DuckDBTableFunction,
  type DuckDBType,
  DuckDBVarCharType,
  LIST,
  TIMESTAMPTZ,
  VARCHAR,
} from '@duckdb/node-api'
import duckdb, { type DataChunk } from '@duckdb/node-bindings'
import type { ColumnType } from '../../resources/column.ts'
import type { Resource } from '../../resources/resource.ts'
import { name } from '../quote.ts'
import type { Chunks } from './chunks.ts'

const DUCKDB_TYPE: Record<ColumnType, DuckDBType> = {
  VARCHAR,
  // Named so, it is not looked at again on its way into a column of JSON.
  JSON: new DuckDBVarCharType('JSON'),
  BIGINT,
  BOOLEAN,
  TIMESTAMPTZ,
  'BIGINT[]': LIST(BIGINT),
  'VARCHAR[]': LIST(VARCHAR),
}

/** What each connection's functions return at present, by table. */
const shown = new WeakMap<DuckDBConnection, Map<string, Chunks>>()

/** What stands in a query for the rows of a batch that belong to a table. */
export function stageOf(table: string): string {
  return `${name(functionName(table))}()`
}

function functionName(table: string): string {
  return `stage_${table}`
}

/**
 * Makes a table function for the rows of a batch of each table, so that queries read them where they lie: to write them into a
 * temporary table first cost a quarter of a load. Call it outside of a transaction, which would take them away if it failed.
 */
export function createStageFunctions(connection: DuckDBConnection, resources: readonly Resource[]): void {
  const rows = new Map<string, Chunks>()
  shown.set(connection, rows)
  for (const { table, children } of resources)
    for (const one of [table, ...children.map((child) => child.table)])
      connection.registerTableFunction(stageFunction(functionName(one), () => rows.get(one)))
}

/** Has the functions return these rows, by table, until they are shown others. */
export function showStages(connection: DuckDBConnection, stages: ReadonlyMap<string, Chunks>): void {
  const rows = shown.get(connection)
  if (rows === undefined) throw new Error('the connection has no functions for what is staged')
  for (const [table, chunks] of stages) rows.set(table, chunks)
}

/** How far a scan has got, and what it asks for. */
interface Scan {
  readonly chunks: Chunks
  /** Index of the column for each vector of the answer. */
  readonly columns: readonly number[]
  next: number
}

function stageFunction(called: string, current: () => Chunks | undefined): DuckDBTableFunction {
  return DuckDBTableFunction.create({
    name: called,
    supportsProjectionPushdown: true,
    bindFunction(info) {
      const chunks = current()
      if (chunks === undefined) return info.setError('nothing is staged')
      for (const { name, type } of chunks.columns) info.addResultColumn(name, DUCKDB_TYPE[type])
      info.setCardinality(chunks.rows, true)
    },
    initFunction(info) {
      const scan: Scan = { chunks: current()!, columns: info.getColumnIndexes(), next: 0 }
      info.setInitData(scan)
    },
    mainFunction(info, output) {
      const scan = info.getInitData() as Scan
      const chunk = scan.chunks.all[scan.next++]
      output.rowCount = chunk?.rows ?? 0
      const raw = output.chunk as unknown as DataChunk
      scan.columns.forEach((column, place) => {
        chunk?.columns[column]?.copyTo(duckdb.data_chunk_get_vector(raw, place), chunk.rows)
      })
    },
  })
}
