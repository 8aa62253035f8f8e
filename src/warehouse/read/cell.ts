import type { DuckDBValue } from '@duckdb/node-api'
import {
  DuckDBArrayValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
} from '../../definitions/duckdb.ts'

/**
 * One value of a query result, converted without loss:
 * - integers up to 32 bits, FLOAT and DOUBLE are numbers; BIGINT and wider are bigints
 * - DECIMAL is a number if that is exact, otherwise its text
 * - TIMESTAMPTZ is a `Date` (milliseconds, which suffice for the service's times)
 * - TIMESTAMP is local time without a zone, as `2026-03-01T08:00:00`; DATE is `2026-03-01`
 * - a time that is infinite, BC or beyond the range of a `Date` is the text that DuckDB prints, such as `-infinity`
 * - LIST is an array, STRUCT and MAP are objects; JSON and everything else are text
 */
export type Cell = null | boolean | number | bigint | string | Date | Cell[] | { [key: string]: Cell }

export function cellOf(value: DuckDBValue): Cell {
  if (value === null || typeof value !== 'object') return value
  if ('isFinite' in value) return timeCell(value)
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

/** Maximum distance of a `Date` from 1970, in milliseconds. */
const DATE_MOST = 8.64e15

/** Converts a time. The first field of `value` is the time since 1970, in the unit of the type. */
function timeCell(value: { readonly isFinite: boolean }): string | Date {
  if (!value.isFinite) return Number(Object.values(value)[0]) < 0 ? '-infinity' : 'infinity'
  if (value instanceof DuckDBTimestampTZValue) {
    const ms = Number(value.micros / 1000n)
    return Math.abs(ms) <= DATE_MOST ? new Date(ms) : `${new DuckDBTimestampValue(value.micros)}+00`
  }
  // DuckDB prints the year before AD 1 as 1 BC, but its Node client prints year 0.
  const text = String(value).replace(/^0000(-\d\d-\d\d)/, '0001$1 (BC)')
  return value instanceof DuckDBTimestampValue && !text.includes('(BC)') ? text.replace(' ', 'T') : text
}

/** Converts a DECIMAL. A double may not store more than 15 digits exactly, so longer decimals stay text. */
function decimalCell(text: string): number | string {
  const digits = text.replace(/[-.]/g, '').replace(/^0+/, '')
  return digits.length <= 15 ? Number(text) : text
}
