import { createRequire } from 'node:module'
import type { DuckDBConnection } from '@duckdb/node-api'

/** `require` saves 0.1 s: on Node 20, `import` would search the client's 180 files for exports. */
const api = createRequire(import.meta.url)('@duckdb/node-api') as Api

type Api = typeof import('@duckdb/node-api')

export const { DuckDBInstance } = api
/** The type is explicit, because some compilers cannot infer a type that comes from a transitive dependency. */
export const StatementType: Api['StatementType'] = api.StatementType
export const { DuckDBArrayValue, DuckDBDecimalValue, DuckDBListValue, DuckDBMapValue, DuckDBStructValue } =
  api
export const { DuckDBTimestampTZValue, DuckDBTimestampValue, blobValue, listValue } = api
export const { BIGINT, BLOB, BOOLEAN, DOUBLE, LIST, SQLNULL, TIMESTAMPTZ, VARCHAR } = api
export type DuckDBInstance = import('@duckdb/node-api').DuckDBInstance

export async function onDatabase<Result>(
  path: string,
  options: Record<string, string>,
  act: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  const instance = await DuckDBInstance.create(path, options)
  return onConnection(instance, async (connection) => {
    await connection.run(`set TimeZone = 'UTC'`)
    return act(connection)
  }).finally(() => instance.closeSync())
}

export async function onConnection<Result>(
  database: { connect(): Promise<DuckDBConnection> },
  act: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  const connection = await database.connect()
  try {
    return await act(connection)
  } finally {
    connection.closeSync()
  }
}
