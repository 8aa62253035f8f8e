import type { ColumnType } from '../../resources/column.ts'
import { CHUNK_ROWS, type ChunkColumn, chunkColumn } from './chunk-column.ts'
import type { TableBuffer } from './column-buffer.ts'
import type { HeldTexts } from './text-store.ts'

/** Up to 2048 rows, as DuckDB takes them at a time. */
export interface Chunk {
  readonly columns: readonly ChunkColumn[]
  rows: number
}

/** Rows of one table, outside of the database. */
export interface Chunks {
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[]
  readonly all: readonly Chunk[]
  readonly rows: number
  /** Takes rows in. What their texts point at must stay until they are forgotten. */
  add(rows: TableBuffer, texts: HeldTexts): void
  /** Forgets all rows. */
  clear(): void
}

/** Chunks to use again, by the types of their columns: they are large, and every batch needs some. */
const spare = new Map<string, Chunk[]>()

/**
 * Gathers rows in chunks as they come, so that a large batch costs neither heap nor garbage collection, only the bytes of
 * its values.
 * @param columns in the order of the buffers that will come
 */
export function createChunks(columns: readonly { name: string; type: ColumnType }[]): Chunks {
  const types = columns.map(({ type }) => type)
  const unused = spare.get(types.join()) ?? []
  spare.set(types.join(), unused)
  const all: Chunk[] = []
  let rows = 0

  function filling(): Chunk {
    const last = all.at(-1)
    if (last !== undefined && last.rows < CHUNK_ROWS) return last
    const chunk = unused.pop() ?? { columns: types.map(chunkColumn), rows: 0 }
    all.push(chunk)
    return chunk
  }

  return {
    columns,
    all,
    get rows() {
      return rows
    },
    add(table, texts) {
      rows += table.rows
      for (let from = 0; from < table.rows; ) {
        const chunk = filling()
        const count = Math.min(CHUNK_ROWS - chunk.rows, table.rows - from)
        chunk.columns.forEach((column, index) => {
          column.paste(table.columns[index]!, from, count, chunk.rows, texts)
        })
        from += count
        chunk.rows += count
      }
    },
    clear() {
      for (const chunk of all.splice(0)) {
        for (const column of chunk.columns) column.clear()
        chunk.rows = 0
        unused.push(chunk)
      }
      rows = 0
    },
  }
}
