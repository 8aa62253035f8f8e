import duckdb, { type Vector } from '@duckdb/node-bindings'
import { stringifyJson } from '../contract/json.ts'
import type { ColumnType } from '../resources/column.ts'

/** Rows DuckDB takes in one data chunk. */
export const CHUNK_ROWS = duckdb.vector_size()

/**
 * One column of a data chunk while it is filled: values go into plain buffers on this side and cross to DuckDB
 * in one copy, which is several times faster than handing over value by value.
 */
export interface ColumnVector {
  /** Stores the value of row `row` (0 to CHUNK_ROWS - 1); null and undefined become NULL. */
  set(row: number, value: unknown): void
  /** Copies rows 0 to `rows - 1` into the chunk's vector and forgets them. */
  flush(vector: Vector, rows: number): void
}

/** A vector for up to `capacity` values of the type; JSON goes over as its text, times come as Unix seconds. */
export function columnVector(type: ColumnType, capacity = CHUNK_ROWS): ColumnVector {
  switch (type) {
    case 'VARCHAR':
      return textVector(capacity, (value) => value as string)
    case 'JSON':
      return textVector(capacity, jsonText)
    case 'BIGINT':
      return int64Vector(capacity, 1)
    case 'TIMESTAMPTZ':
      return zeroIsNull(int64Vector(capacity, MICROS))
    case 'BOOLEAN':
      return booleanVector(capacity)
    case 'BIGINT[]':
      return listVector(capacity, 'BIGINT')
    case 'VARCHAR[]':
      return listVector(capacity, 'VARCHAR')
  }
}

/** A time of 0 means "not set". */
function zeroIsNull(vector: ColumnVector): ColumnVector {
  return {
    set: (row, value) => vector.set(row, value === 0 || value === 0n ? null : value),
    flush: vector.flush,
  }
}

/** Which rows are NULL: one bit each, 1 for a value, and no bitmap at all while there is no NULL. */
function validity(capacity: number) {
  // DuckDB reads the bitmap in words of 64 rows.
  const bits = new Uint8Array(Math.ceil(capacity / 64) * 8).fill(0xff)
  let nulls = false
  return {
    setNull(row: number) {
      bits[row >> 3]! &= ~(1 << (row & 7))
      nulls = true
    },
    flush(vector: Vector) {
      if (!nulls) return
      duckdb.vector_ensure_validity_writable(vector)
      duckdb.copy_data_to_vector_validity(vector, 0, bits.buffer, 0, bits.byteLength)
      bits.fill(0xff)
      nulls = false
    },
  }
}

const MICROS = 1_000_000
const TWO_POW_32 = 4_294_967_296

/** Integers times `scale`. Numbers are split into two halves, since making a bigint of each costs far more. */
function int64Vector(capacity: number, scale: number): ColumnVector {
  const halves = new Uint32Array(capacity * 2)
  const wholes = new BigInt64Array(halves.buffer)
  const valid = validity(capacity)
  return {
    set(row, value) {
      if (typeof value === 'number') {
        const scaled = value * scale
        halves[row * 2] = scaled
        halves[row * 2 + 1] = Math.floor(scaled / TWO_POW_32)
      } else if (typeof value === 'bigint') wholes[row] = value * BigInt(scale)
      else valid.setNull(row)
    },
    flush(vector, rows) {
      duckdb.copy_data_to_vector(vector, 0, halves.buffer, 0, rows * 8)
      valid.flush(vector)
    },
  }
}

function booleanVector(capacity: number): ColumnVector {
  const bytes = new Uint8Array(capacity)
  const valid = validity(capacity)
  return {
    set(row, value) {
      if (typeof value === 'boolean') bytes[row] = value ? 1 : 0
      else valid.setNull(row)
    },
    flush(vector, rows) {
      duckdb.copy_data_to_vector(vector, 0, bytes.buffer, 0, rows)
      valid.flush(vector)
    },
  }
}

/**
 * JSON that DuckDB reads. Half a surrogate pair is escaped by JavaScript, but DuckDB refuses such an escape, and one
 * bad label would break every query over the column; like in plain text it becomes U+FFFD.
 */
function jsonText(value: unknown): string {
  const text = stringifyJson(value)
  if (!text.includes('\\ud')) return text
  // An escaped backslash is taken along whole, so that the text \\ud800 stays what it is.
  return text.replace(/\\(\\|ud[89a-f][0-9a-f]{2})/g, (whole, what) => (what === '\\' ? whole : '\\ufffd'))
}

/** Longest text, in bytes, that DuckDB keeps inside its 16-byte string entry (`duckdb_string_t` of its C interface). */
const INLINE_BYTES = 12
const ENTRY_BYTES = 16

/** Text. Short plain text goes over with the column's buffer; only the rest needs a call each. */
function textVector(capacity: number, write: (value: unknown) => string): ColumnVector {
  const entries = new Uint8Array(capacity * ENTRY_BYTES)
  const valid = validity(capacity)
  const longRows: number[] = []
  const longTexts: string[] = []
  return {
    set(row, value) {
      const at = row * ENTRY_BYTES
      entries.fill(0, at, at + ENTRY_BYTES)
      if (value === null || value === undefined) return valid.setNull(row)
      const text = write(value)
      if (!writeInline(entries, at, text)) {
        longRows.push(row)
        longTexts.push(text)
      }
    },
    flush(vector, rows) {
      duckdb.copy_data_to_vector(vector, 0, entries.buffer, 0, rows * ENTRY_BYTES)
      for (let i = 0; i < longRows.length; i++) {
        duckdb.vector_assign_string_element(vector, longRows[i]!, longTexts[i]!)
      }
      longRows.length = 0
      longTexts.length = 0
      valid.flush(vector)
    },
  }
}

/** Writes length and characters of a short ASCII text; false when the text is longer or has other characters. */
function writeInline(entries: Uint8Array, at: number, text: string): boolean {
  const length = text.length
  if (length > INLINE_BYTES) return false
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i)
    if (code > 0x7f) {
      entries.fill(0, at, at + ENTRY_BYTES)
      return false
    }
    entries[at + 4 + i] = code
  }
  entries[at] = length
  return true
}

/** Lists: each row has an offset and a length, the elements of all rows follow one another in a child vector. */
function listVector(capacity: number, type: ColumnType): ColumnVector {
  const spans = new Uint32Array(capacity * 4)
  const valid = validity(capacity)
  let elements: unknown[] = []
  return {
    set(row, value) {
      const list = Array.isArray(value) ? value : []
      if (list !== value) valid.setNull(row)
      spans[row * 4] = elements.length
      spans[row * 4 + 2] = list.length
      for (const element of list) elements.push(element)
    },
    flush(vector, rows) {
      duckdb.copy_data_to_vector(vector, 0, spans.buffer, 0, rows * 16)
      valid.flush(vector)
      writeElements(vector, elements, type)
      elements = []
    },
  }
}

function writeElements(list: Vector, elements: readonly unknown[], type: ColumnType) {
  duckdb.list_vector_reserve(list, elements.length)
  duckdb.list_vector_set_size(list, elements.length)
  if (elements.length === 0) return
  const column = columnVector(type, elements.length)
  for (let i = 0; i < elements.length; i++) column.set(i, elements[i])
  column.flush(duckdb.list_vector_get_child(list), elements.length)
}
