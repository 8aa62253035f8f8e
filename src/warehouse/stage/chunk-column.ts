import duckdb, { type Vector } from '@duckdb/node-bindings'
import type { ColumnType } from '../../resources/column.ts'
import {
  addRows,
  type ColumnBuffer,
  clearRows,
  copyValue,
  INLINE_BYTES,
  TWO_POW_32,
  tableBuffer,
  WORDS,
} from './column-buffer.ts'
import type { HeldTexts } from './text-store.ts'
import { validity } from './validity.ts'

/** Rows DuckDB takes in one data chunk. */
export const CHUNK_ROWS = duckdb.vector_size()

/** One column of a data chunk on this side; it crosses to DuckDB in one copy, as often as it is asked for. */
export interface ChunkColumn {
  /** Takes `count` values over, from row `from` of the source to row `to` and on. */
  paste(source: ColumnBuffer, from: number, count: number, to: number, texts: HeldTexts): void
  /** Copies rows 0 to `rows - 1` into a vector. */
  copyTo(vector: Vector, rows: number): void
  /** Forgets all rows; the memory is used again. */
  clear(): void
}

/** An empty column of the type. */
export function chunkColumn(type: ColumnType): ChunkColumn {
  const words = WORDS[type]
  const data = new Uint32Array(CHUNK_ROWS * words)
  const valid = validity(CHUNK_ROWS)
  const isText = type === 'VARCHAR' || type === 'JSON'
  const list = elementsOf(type)
  return {
    paste(source, from, count, to, texts) {
      data.set(source.data.subarray(from * words, (from + count) * words), to * words)
      for (let i = 0; i < count; i++) if (source.nulls[from + i]) valid.setNull(to + i)
      if (isText) pointAt(data, to, count, texts)
      list?.paste(source, data, to, count, texts)
    },
    copyTo(vector, rows) {
      // A boolean is a byte there.
      const values = type === 'BOOLEAN' ? Uint8Array.from(data.subarray(0, rows)) : data
      duckdb.copy_data_to_vector(vector, 0, values.buffer, 0, type === 'BOOLEAN' ? rows : rows * words * 4)
      valid.copyTo(vector)
      list?.copyTo(vector)
    },
    clear() {
      valid.clear()
      list?.clear()
    },
  }
}

/** Puts addresses in the place of positions. */
function pointAt(data: Uint32Array, first: number, count: number, texts: HeldTexts) {
  for (let at = first * 4; at < (first + count) * 4; at += 4) {
    if (data[at]! <= INLINE_BYTES) continue
    const position = data[at + 2]!
    const address =
      position < texts.firstLength ? texts.first + position : texts.second + position - texts.firstLength
    data[at + 2] = address
    data[at + 3] = address / TWO_POW_32
  }
}

/** The elements of all lists of a chunk, one after another: each row says where its own begin and how many they are. */
function elementsOf(list: ColumnType) {
  if (list !== 'BIGINT[]' && list !== 'VARCHAR[]') return undefined
  const table = tableBuffer([list === 'BIGINT[]' ? 'BIGINT' : 'VARCHAR'], CHUNK_ROWS)
  const column = table.columns[0]!
  return {
    paste(source: ColumnBuffer, spans: Uint32Array, to: number, count: number, texts: HeldTexts) {
      const elements = source.elements!.columns[0]!
      const start = table.rows
      for (let at = to * 4; at < (to + count) * 4; at += 4) {
        const first = spans[at]!
        const length = spans[at + 2]!
        spans[at] = table.rows
        addRows(table, length)
        for (let i = 0; i < length; i++) copyValue(column, spans[at]! + i, elements, first + i)
      }
      if (column.type === 'VARCHAR') pointAt(column.data, start, table.rows - start, texts)
    },
    copyTo(vector: Vector) {
      const { rows } = table
      duckdb.list_vector_reserve(vector, rows)
      duckdb.list_vector_set_size(vector, rows)
      if (rows === 0) return
      const child = duckdb.list_vector_get_child(vector)
      const valid = validity(rows)
      for (let i = 0; i < rows; i++) if (column.nulls[i]) valid.setNull(i)
      duckdb.copy_data_to_vector(child, 0, column.data.buffer as ArrayBuffer, 0, rows * column.words * 4)
      valid.copyTo(child)
    },
    clear: () => clearRows(table),
  }
}
