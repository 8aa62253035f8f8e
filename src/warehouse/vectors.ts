import duckdb, { type Vector } from '@duckdb/node-bindings'
import { stringifyJson } from '../contract/json.ts'
import type { ColumnType } from '../resources/column.ts'
import type { ColumnVector } from './column-vector.ts'
import { textVector } from './text-vector.ts'
import { validity } from './validity.ts'

/** Rows DuckDB takes in one data chunk. */
export const CHUNK_ROWS = duckdb.vector_size()

/** A vector for up to `capacity` values of the type; JSON goes over as its text, times come as Unix seconds. */
export function columnVector(type: ColumnType, capacity = CHUNK_ROWS): ColumnVector {
  switch (type) {
    case 'VARCHAR':
      return textVector(capacity, (value) => value as string)
    case 'JSON':
      return textVector(capacity, jsonText)
    case 'BIGINT':
      return int64Vector(capacity, 1, false)
    case 'TIMESTAMPTZ':
      return int64Vector(capacity, MICROS, true)
    case 'BOOLEAN':
      return booleanVector(capacity)
    case 'BIGINT[]':
      return listVector(capacity, 'BIGINT')
    case 'VARCHAR[]':
      return listVector(capacity, 'VARCHAR')
  }
}

const MICROS = 1_000_000
const TWO_POW_32 = 4_294_967_296

/**
 * Integers times `scale`. Numbers are split into two halves, since making a bigint of each costs far more.
 * @param zeroIsNull a time of 0 means "not set"
 */
function int64Vector(capacity: number, scale: number, zeroIsNull: boolean): ColumnVector {
  const halves = new Uint32Array(capacity * 2)
  const wholes = new BigInt64Array(halves.buffer)
  const valid = validity(capacity)
  return {
    put(first, values) {
      for (let i = 0; i < values.length; i++) {
        const value = values[i]
        const row = first + i
        if (zeroIsNull && (value === 0 || value === 0n)) valid.setNull(row)
        else if (typeof value === 'number') {
          const scaled = value * scale
          halves[row * 2] = scaled
          halves[row * 2 + 1] = Math.floor(scaled / TWO_POW_32)
        } else if (typeof value === 'bigint') wholes[row] = value * BigInt(scale)
        else valid.setNull(row)
      }
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
    put(first, values) {
      for (let i = 0; i < values.length; i++) {
        const value = values[i]
        if (typeof value === 'boolean') bytes[first + i] = value ? 1 : 0
        else valid.setNull(first + i)
      }
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

/** Lists: each row has an offset and a length, the elements of all rows follow one another in a child vector. */
function listVector(capacity: number, type: ColumnType): ColumnVector {
  const spans = new Uint32Array(capacity * 4)
  const valid = validity(capacity)
  let elements: unknown[] = []
  return {
    put(first, values) {
      for (let i = 0; i < values.length; i++) {
        const value = values[i]
        const row = first + i
        const list = Array.isArray(value) ? value : []
        if (list !== value) valid.setNull(row)
        spans[row * 4] = elements.length
        spans[row * 4 + 2] = list.length
        for (const element of list) elements.push(element)
      }
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
  column.put(0, elements)
  column.flush(duckdb.list_vector_get_child(list), elements.length)
}
