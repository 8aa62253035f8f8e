import type { ColumnType } from '../../resources/column.ts'

/** `duckdb_string_t` of DuckDB's C interface: the length, then up to 12 bytes of text, or 4 of them and an address. */
export const INLINE_BYTES = 12

/** Words of 32 bits that a value takes: as in DuckDB's vectors, but for a boolean, which is a byte there. */
export const WORDS: Record<ColumnType, number> = {
  VARCHAR: 4,
  JSON: 4,
  BIGINT: 2,
  TIMESTAMPTZ: 2,
  BOOLEAN: 1,
  // Where its elements begin, and how many they are.
  'BIGINT[]': 4,
  'VARCHAR[]': 4,
}

/**
 * Values of one column in the form that DuckDB has them in memory. A text that is longer than 12 bytes has, in place of its address,
 * its position among the texts of its page.
 */
export interface ColumnBuffer {
  readonly type: ColumnType
  readonly words: number
  data: Uint32Array
  /** 1 for NULL. */
  nulls: Uint8Array
  /** What the lists of all rows hold, one after another. */
  readonly elements: TableBuffer | undefined
}

/** Columns of the same rows. Every value is NULL until it is put. */
export interface TableBuffer {
  readonly columns: readonly ColumnBuffer[]
  rows: number
  capacity: number
}

/** A table without rows. */
export function tableBuffer(types: readonly ColumnType[], capacity: number): TableBuffer {
  return { columns: types.map((type) => columnBuffer(type, capacity)), rows: 0, capacity }
}

function columnBuffer(type: ColumnType, capacity: number): ColumnBuffer {
  const words = WORDS[type]
  const element = type === 'BIGINT[]' ? 'BIGINT' : type === 'VARCHAR[]' ? 'VARCHAR' : undefined
  return {
    type,
    words,
    data: new Uint32Array(capacity * words),
    nulls: new Uint8Array(capacity).fill(1),
    elements: element && tableBuffer([element], capacity),
  }
}

/** Adds so many rows of NULLs. */
export function addRows(table: TableBuffer, rows = 1): void {
  table.rows += rows
  if (table.rows <= table.capacity) return
  table.capacity = Math.max(table.rows, table.capacity * 2)
  for (const column of table.columns) {
    const { data, nulls } = column
    column.data = new Uint32Array(table.capacity * column.words)
    column.data.set(data)
    column.nulls = new Uint8Array(table.capacity).fill(1)
    column.nulls.set(nulls)
  }
}

/** Takes all rows out; the memory is used again. */
export function clearRows(table: TableBuffer): void {
  for (const { data, nulls, words, elements } of table.columns) {
    data.fill(0, 0, table.rows * words)
    nulls.fill(1, 0, table.rows)
    if (elements) clearRows(elements)
  }
  table.rows = 0
}

export const TWO_POW_32 = 4_294_967_296

/** Numbers are split into two halves, since making a bigint of each costs far more. */
export function putInteger(column: ColumnBuffer, row: number, value: number | bigint): void {
  const { data } = column
  if (typeof value === 'number') {
    data[row * 2] = value
    data[row * 2 + 1] = Math.floor(value / TWO_POW_32)
  } else {
    data[row * 2] = Number(BigInt.asUintN(32, value))
    data[row * 2 + 1] = Number(BigInt.asUintN(32, value >> 32n))
  }
  column.nulls[row] = 0
}

const MICROS = 1_000_000

/** Unix seconds; 0 means "not set" and stays NULL. */
export function putTime(column: ColumnBuffer, row: number, seconds: number | bigint): void {
  if (Number(seconds) === 0) return
  putInteger(column, row, typeof seconds === 'number' ? seconds * MICROS : seconds * BigInt(MICROS))
}

export function putFlag(column: ColumnBuffer, row: number, value: boolean): void {
  column.data[row] = value ? 1 : 0
  column.nulls[row] = 0
}

/**
 * Puts the text that the bytes from `start` to `end` are.
 * @param position of its first byte among the texts of the page
 */
export function putText(
  column: ColumnBuffer,
  row: number,
  bytes: Uint8Array,
  start: number,
  end: number,
  position: number,
): void {
  const { data } = column
  const at = row * 4
  const length = end - start
  data[at] = length
  if (length > INLINE_BYTES) {
    data[at + 1] = word(bytes, start, 4)
    data[at + 2] = position
  } else if (length > 0) {
    data[at + 1] = word(bytes, start, length)
    if (length > 4) data[at + 2] = word(bytes, start + 4, length - 4)
    if (length > 8) data[at + 3] = word(bytes, start + 8, length - 8)
  }
  column.nulls[row] = 0
}

/** Up to four bytes, the first one lowest. */
function word(bytes: Uint8Array, at: number, count: number): number {
  let value = bytes[at]!
  if (count > 1) value |= bytes[at + 1]! << 8
  if (count > 2) value |= bytes[at + 2]! << 16
  if (count > 3) value |= bytes[at + 3]! << 24
  return value
}

/** Puts a list of so many elements, which lie in `elements` from `first` on. */
export function putList(column: ColumnBuffer, row: number, first: number, count: number): void {
  column.data[row * 4] = first
  column.data[row * 4 + 2] = count
  column.nulls[row] = 0
}

/** Makes a value the same as one of another column of the same type and page. */
export function copyValue(to: ColumnBuffer, row: number, from: ColumnBuffer, fromRow: number): void {
  const { words } = to
  for (let i = 0; i < words; i++) to.data[row * words + i] = from.data[fromRow * words + i]!
  to.nulls[row] = from.nulls[fromRow]!
}

/** Adds to every value of the table's first column, whole numbers of 32 bits. */
export function addToFirst({ columns, rows }: TableBuffer, more: number): void {
  const { data } = columns[0]!
  for (let row = 0; row < rows; row++) data[row * 2]! += more
}
