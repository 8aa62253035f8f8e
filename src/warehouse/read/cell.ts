import type { DuckDBValue } from '@duckdb/node-api'
import {
  DuckDBArrayValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
} from '../duckdb.ts'

/**
 * One value of a result, ready to be shown and without loss:
 * - integers up to 32 bits, FLOAT and DOUBLE are numbers; BIGINT and wider are bigints;
 * - DECIMAL is a number when that is exact, else its text;
 * - TIMESTAMPTZ is a `Date` (milliseconds: the service speaks in seconds and milliseconds);
 * - TIMESTAMP is local time without a zone, as `2026-03-01T08:00:00`; DATE is `2026-03-01`;
 * - LIST is an array, STRUCT and MAP are objects; JSON and everything else are text.
 */
export type Cell = null | boolean | number | bigint | string | Date | Cell[] | { [key: string]: Cell }

/** Turns DuckDB's own value into a `Cell`. */
export function cellOf(value: DuckDBValue): Cell {
  if (value === null || typeof value !== 'object') return value
  if (value instanceof DuckDBTimestampTZValue) return new Date(Number(value.micros / 1000n))
  if (value instanceof DuckDBTimestampValue) return value.toString().replace(' ', 'T')
  if (value instanceof DuckDBDecimalValue) return decimalCell(value.toString())
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) return value.items.map(cellOf)
  if (value instanceof DuckDBStructValue) {
    return Object.fromEntries(Object.entries(value.entries).map(([key, entry]) => [key, cellOf(entry)]))
  }
  if (value instanceof DuckDBMapValue) {
    return Object.fromEntries(value.entries.map(({ key, value: entry }) => [String(key), cellOf(entry)]))
  }
  return value.toString()
}

/** A double holds 15 significant decimal digits whatever they are; beyond that the text is kept. */
function decimalCell(text: string): number | string {
  const digits = text.replace(/[-.]/g, '').replace(/^0+/, '')
  return digits.length <= 15 ? Number(text) : text
}
