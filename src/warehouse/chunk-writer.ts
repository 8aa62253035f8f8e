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
import { CHUNK_ROWS, chunkColumn } from './chunk-column.ts'
import type { TableBuffer } from './column-buffer.ts'
import { name } from './quote.ts'
import type { HeldTexts } from './text-store.ts'

/** Rows on their way into a table. */
export interface ChunkWriter {
  readonly rows: number
  /** Takes rows in. What their texts point at must stay until they have been appended. */
  add(rows: TableBuffer, texts: HeldTexts): void
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

/** Frees what the chunk holds beside its vectors and keeps the rest. */
function giveBack(types: readonly DuckDBType[], chunk: DuckDBDataChunk) {
  chunk.reset()
  const key = types.join()
  spare.set(key, [...(spare.get(key) ?? []), chunk])
}

/**
 * Gathers rows in DuckDB's data chunks as they come, so that a large batch costs neither heap nor garbage collection, only
 * the bytes of its values.
 * @param columns of the temporary table, in the order of the buffers that will come
 */
export function createChunkWriter(columns: readonly { name: string; type: ColumnType }[]): ChunkWriter {
  const types = columns.map(({ type }) => DUCKDB_TYPE[type])
  const filling = columns.map(({ type }) => chunkColumn(type))
  const full: DuckDBDataChunk[] = []
  let taken = 0
  let filled = 0

  function cutChunk() {
    const chunk = takeChunk(types)
    chunk.rowCount = filled
    const raw = chunk.chunk as unknown as DataChunk
    filling.forEach((column, index) => {
      column.flush(duckdb.data_chunk_get_vector(raw, index), filled)
    })
    full.push(chunk)
    filled = 0
  }

  return {
    get rows() {
      return taken
    },
    add(table, texts) {
      taken += table.rows
      for (let from = 0; from < table.rows; ) {
        const count = Math.min(CHUNK_ROWS - filled, table.rows - from)
        filling.forEach((column, index) => {
          column.paste(table.columns[index]!, from, count, filled, texts)
        })
        from += count
        filled += count
        if (filled === CHUNK_ROWS) cutChunk()
      }
    },
    async appendTo(connection, table) {
      if (filled > 0) cutChunk()
      const declared = columns.map((column) => `${name(column.name)} ${column.type}`)
      await connection.run(`create or replace temp table ${name(table)} (${declared.join(', ')})`)
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
