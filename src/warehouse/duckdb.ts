import { createRequire } from 'node:module'

/**
 * DuckDB's client, by `require`: to import it, Node 20 first looks through each of its 180 files for the names that they
 * export, which is a tenth of a second of every command.
 */
const api = createRequire(import.meta.url)('@duckdb/node-api') as typeof import('@duckdb/node-api')

export const { DuckDBInstance, StatementType } = api
export const { DuckDBArrayValue, DuckDBDecimalValue, DuckDBListValue, DuckDBMapValue, DuckDBStructValue } =
  api
export const { DuckDBTimestampTZValue, DuckDBTimestampValue, blobValue, listValue } = api
export const { BIGINT, BLOB, BOOLEAN, DOUBLE, LIST, SQLNULL, TIMESTAMPTZ, VARCHAR } = api
export type DuckDBInstance = import('@duckdb/node-api').DuckDBInstance
