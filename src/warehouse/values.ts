import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  DuckDBTimestampTZValue,
  type DuckDBType,
  type DuckDBValue,
  LIST,
  listValue,
  SQLNULL,
  TIMESTAMPTZ,
  VARCHAR,
} from '@duckdb/node-api'

/** A parameter as DuckDB takes it: whole numbers are BIGINT with every digit, dates TIMESTAMPTZ, arrays lists. */
export function toDuckDb(value: unknown): { value: DuckDBValue; type: DuckDBType } {
  if (value === null || value === undefined) return { value: null, type: SQLNULL }
  if (typeof value === 'string') return { value, type: VARCHAR }
  if (typeof value === 'boolean') return { value, type: BOOLEAN }
  if (typeof value === 'bigint') return { value, type: BIGINT }
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) ? { value: BigInt(value), type: BIGINT } : { value, type: DOUBLE }
  }
  if (value instanceof Date) {
    return { value: new DuckDBTimestampTZValue(BigInt(value.getTime()) * 1_000n), type: TIMESTAMPTZ }
  }
  if (Array.isArray(value)) {
    const items = value.map(toDuckDb)
    // The first value that is one tells the type of all; a list of the type of NULL would hold nothing but NULLs.
    const type = items.find((item) => item.value !== null)?.type ?? VARCHAR
    return { value: listValue(items.map((item) => item.value)), type: LIST(type) }
  }
  throw new TypeError(`a parameter of type ${typeof value} cannot be bound`)
}
