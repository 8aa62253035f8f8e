import duckdb, { type Vector } from '@duckdb/node-bindings'

/** Which rows of a column are NULL: one bit each, 1 for a value, and no bitmap at all while there is no NULL. */
export function validity(capacity: number) {
  // DuckDB reads the bitmap in words of 64 rows.
  const bits = new Uint8Array(Math.ceil(capacity / 64) * 8).fill(0xff)
  let nulls = false
  return {
    setNull(row: number) {
      bits[row >> 3]! &= ~(1 << (row & 7))
      nulls = true
    },
    copyTo(vector: Vector) {
      if (!nulls) return
      duckdb.vector_ensure_validity_writable(vector)
      duckdb.copy_data_to_vector_validity(vector, 0, bits.buffer, 0, bits.byteLength)
    },
    clear() {
      if (nulls) bits.fill(0xff)
      nulls = false
    },
  }
}
