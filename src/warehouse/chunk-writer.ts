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
import type { ColumnType } from '../resources/column.ts'
import { name } from './quote.ts'
import { CHUNK_ROWS, columnVector } from './vectors.ts'

/** One column to write: its name, its type, and how to take its value from a row. */
export interface Source<Row> {
  readonly name: string
  readonly type: ColumnType
  readonly value: (row: Row) => unknown
}

/** Rows on their way into a table. */
export interface ChunkWriter<Row> {
  readonly rows: number
  /** Takes rows in; nothing of them is held but their values, in DuckDB's own form. */
  add(rows: readonly Row[]): void
  /** Makes the temporary table and puts every row taken so far into it. Call it once. */
  appendTo(connection: DuckDBConnection, table: string): Promise<void>
}

const DUCKDB_TYPE: Record<ColumnType, DuckDBType> = {
  VARCHAR,
  JSON: VARCHAR,
  BIGINT,
  BOOLEAN,
  TIMESTAMPTZ,
  'BIGINT[]': LIST(BIGINT),
  'VARCHAR[]': LIST(VARCHAR),
}

/**
 * Chunks to use again, by their types. The memory of a chunk is DuckDB's and only goes when the garbage collector finds
 * its small handle, so that making new ones would let it grow without bound.
 */
const spare = new Map<string, DuckDBDataChunk[]>()

function takeChunk(types: readonly DuckDBType[]): DuckDBDataChunk {
  return spare.get(types.join())?.pop() ?? DuckDBDataChunk.create(types)
}

/** Frees the texts of the chunk and keeps the rest. */
function giveBack(types: readonly DuckDBType[], chunk: DuckDBDataChunk) {
  chunk.reset()
  const key = types.join()
  spare.set(key, [...(spare.get(key) ?? []), chunk])
}

/**
 * Turns rows into DuckDB's data chunks as they come: their objects can be forgotten at once, so a large batch costs
 * neither heap nor garbage collection, only the bytes of its values.
 */
export function createChunkWriter<Row>(sources: readonly Source<Row>[]): ChunkWriter<Row> {
  const types = sources.map((source) => DUCKDB_TYPE[source.type])
  const vectors = sources.map((source) => columnVector(source.type))
  const full: DuckDBDataChunk[] = []
  let taken = 0
  let filled = 0

  function cutChunk() {
    const chunk = takeChunk(types)
    chunk.rowCount = filled
    const raw = chunk.chunk as unknown as DataChunk
    vectors.forEach((vector, column) => {
      vector.flush(duckdb.data_chunk_get_vector(raw, column), filled)
    })
    full.push(chunk)
    filled = 0
  }

  return {
    get rows() {
      return taken
    },
    add(rows) {
      taken += rows.length
      for (let start = 0; start < rows.length; ) {
        const count = Math.min(CHUNK_ROWS - filled, rows.length - start)
        const part = count === rows.length ? rows : rows.slice(start, start + count)
        sources.forEach(({ value }, column) => {
          vectors[column]!.put(filled, part.map(value))
        })
        start += count
        filled += count
        if (filled === CHUNK_ROWS) cutChunk()
      }
    },
    async appendTo(connection, table) {
      if (filled > 0) cutChunk()
      const columns = sources.map((source) => `${name(source.name)} ${source.type}`)
      await connection.run(`create or replace temp table ${name(table)} (${columns.join(', ')})`)
      const appender = await connection.createAppender(table)
      try {
        for (const chunk of full) appender.appendDataChunk(chunk)
      } finally {
        appender.closeSync()
        for (const chunk of full.splice(0)) giveBack(types, chunk)
      }
    },
  }
}
