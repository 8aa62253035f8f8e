import { DuckDBDataChunk, VARCHAR } from '@duckdb/node-api'
import duckdb, { type DataChunk } from '@duckdb/node-bindings'
import { INLINE_BYTES } from './column-buffer.ts'

/** Where the texts of a page lie in memory: a position in the first half from `first` on, one behind it from `second` on. */
export interface HeldTexts {
  readonly firstLength: number
  readonly first: number
  readonly second: number
}

/** Texts in memory that DuckDB's vectors may point into. */
export interface TextStore {
  /** Keeps a copy of both. */
  hold(texts: readonly [Uint8Array, Uint8Array]): HeldTexts
  /** Forgets all texts: nothing may point at them any more. */
  free(): void
}

/** Stores to use again: the memory is DuckDB's, and would only go when the garbage collector finds their small handles. */
const spare: DuckDBDataChunk[] = []

/** A call for each text would cost three times as much as one for the texts of a whole page. */
export function createTextStore(): TextStore {
  let chunk: DuckDBDataChunk | undefined

  function address(bytes: Uint8Array): number {
    if (bytes.length <= INLINE_BYTES) return 0
    chunk ??= spare.pop() ?? DuckDBDataChunk.create([VARCHAR], 1)
    const vector = duckdb.data_chunk_get_vector(chunk.chunk as unknown as DataChunk, 0)
    // The vector keeps what it was given before, though this overwrites the entry; and the entry tells the address.
    duckdb.vector_assign_string_element_len(vector, 0, bytes)
    const entry = duckdb.vector_get_data(vector, 16)
    // Addresses have 48 bits, so that a number holds them.
    return Number(new DataView(entry.buffer, entry.byteOffset).getBigUint64(8, true))
  }

  return {
    hold: ([first, second]) => ({
      firstLength: first.length,
      first: address(first),
      second: address(second),
    }),
    free() {
      if (chunk === undefined) return
      chunk.reset()
      spare.push(chunk)
      chunk = undefined
    },
  }
}
