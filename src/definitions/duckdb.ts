import { createRequire } from 'node:module'

/** Uses `require`. With `import`, Node 20 would scan the client’s 180 files for exports, which takes 0.1 s. */
const api = createRequire(import.meta.url)('@duckdb/node-api') as Api

type Api = typeof import('@duckdb/node-api')

export const { DuckDBInstance } = api
/** The type is annotated because some compilers cannot resolve the inferred type of a transitive dependency. */
export const StatementType: Api['StatementType'] = api.StatementType
export const { DuckDBArrayValue, DuckDBDecimalValue, DuckDBListValue, DuckDBMapValue, DuckDBStructValue } =
  api
export const { DuckDBTimestampTZValue, DuckDBTimestampValue, blobValue, listValue } = api
export const { BIGINT, BLOB, BOOLEAN, DOUBLE, LIST, SQLNULL, TIMESTAMPTZ, VARCHAR } = api
export type DuckDBInstance = import('@duckdb/node-api').DuckDBInstance
