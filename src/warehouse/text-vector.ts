import duckdb, { type Vector } from '@duckdb/node-bindings'
import type { ColumnVector } from './column-vector.ts'
import { validity } from './validity.ts'

/** `duckdb_string_t` of DuckDB's C interface: the length, then up to 12 bytes of text, or 4 of them and an address. */
const ENTRY_BYTES = 16
const INLINE_BYTES = 12

/** Bytes a UTF-16 unit takes in UTF-8 at most. */
const WIDEST = 3

/**
 * A column of text. The texts of a page are joined and encoded in one call; all of them go to DuckDB as one long text,
 * and the entries of the rows point into it. A call for each text would cost three times as much.
 * @param write the text of a value that is not null
 */
export function textVector(capacity: number, write: (value: unknown) => string): ColumnVector {
  const entries = new Uint32Array((capacity * ENTRY_BYTES) / 4)
  const lengths = new Uint32Array(capacity)
  const valid = validity(capacity)
  let bytes = Buffer.allocUnsafe(capacity * 32)
  let used = 0

  function reserve(units: number) {
    const needed = used + units * WIDEST
    if (needed <= bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(needed, bytes.length * 2))
    bytes.copy(larger, 0, 0, used)
    bytes = larger
  }

  return {
    put(first, values) {
      const texts: string[] = []
      for (let i = 0; i < values.length; i++) {
        const value = values[i]
        if (value === null || value === undefined) {
          valid.setNull(first + i)
          texts.push('')
        } else texts.push(write(value))
      }
      const joined = texts.join('')
      reserve(joined.length)
      const written = bytes.write(joined, used)
      // As many bytes as units: nothing but ASCII.
      const measure = written === joined.length ? unitsOf : Buffer.byteLength
      let sum = 0
      for (let i = 0; i < texts.length; i++) sum += lengths[first + i] = measure(texts[i]!)
      // Two halves of surrogate pairs have met where two texts did; each is to become U+FFFD by itself.
      if (sum !== written) {
        let end = used
        for (const text of texts) end += bytes.write(text, end)
      }
      used += sum
    },
    flush(vector, rows) {
      writeEntries(entries, {
        lengths,
        bytes,
        rows,
        address: used > INLINE_BYTES ? hold(vector, bytes.subarray(0, used)) : 0,
      })
      duckdb.copy_data_to_vector(vector, 0, entries.buffer, 0, rows * ENTRY_BYTES)
      valid.flush(vector)
      used = 0
    },
  }
}

function unitsOf(text: string): number {
  return text.length
}

/** Has the vector keep the bytes, and says where: the entry it makes for them tells the address. */
function hold(vector: Vector, bytes: Buffer): number {
  duckdb.vector_assign_string_element_len(vector, 0, bytes)
  const entry = duckdb.vector_get_data(vector, ENTRY_BYTES)
  // Addresses have 48 bits, so that a number holds them.
  return Number(new DataView(entry.buffer, entry.byteOffset).getBigUint64(8, true))
}

const TWO_POW_32 = 4_294_967_296

function writeEntries(
  entries: Uint32Array,
  { lengths, bytes, rows, address }: { lengths: Uint32Array; bytes: Buffer; rows: number; address: number },
) {
  const inline = new Uint8Array(entries.buffer)
  let start = 0
  for (let row = 0; row < rows; row++) {
    const length = lengths[row]!
    const at = row * 4
    entries[at] = length
    entries[at + 1] = 0
    entries[at + 2] = 0
    entries[at + 3] = 0
    if (length > INLINE_BYTES) {
      for (let i = 0; i < 4; i++) inline[at * 4 + 4 + i] = bytes[start + i]!
      entries[at + 2] = address + start
      entries[at + 3] = (address + start) / TWO_POW_32
    } else for (let i = 0; i < length; i++) inline[at * 4 + 4 + i] = bytes[start + i]!
    start += length
  }
}
