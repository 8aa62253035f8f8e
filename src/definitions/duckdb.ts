import { createRequire } from 'node:module'

/**
 * DuckDB's client, by `require`: to import it, Node 20 first looks through each of its 180 files for the names that they
 * export, which is a tenth of a second of every command.
 */
const api = createRequire(import.meta.url)('@duckdb/node-api') as Api

type Api = typeof import('@duckdb/node-api')

export const { DuckDBInstance } = api
/** Inferred, its type would be one of a package that only DuckDB's client depends on: not everybody's compiler finds that. */
export const StatementType: Api['StatementType'] = api.StatementType
export const { DuckDBArrayValue, DuckDBDecimalValue, DuckDBListValue, DuckDBMapValue, DuckDBStructValue } =
  api
export const { DuckDBTimestampTZValue, DuckDBTimestampValue, blobValue, listValue } = api
export const { BIGINT, BLOB, BOOLEAN, DOUBLE, LIST, SQLNULL, TIMESTAMPTZ, VARCHAR } = api
export type DuckDBInstance = import('@duckdb/node-api').DuckDBInstance
