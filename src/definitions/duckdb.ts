import { createRequire } from 'node:module'
import type { DuckDBConnection } from '@duckdb/node-api'

/** Uses `require`, because with `import` Node 20 would search the 180 files of the client for exports for 0.1 s. */
const api = createRequire(import.meta.url)('@duckdb/node-api') as Api

type Api = typeof import('@duckdb/node-api')

export const { DuckDBInstance } = api
/** The type is written here, because some compilers cannot resolve the inferred type of a transitive dependency. */
export const StatementType: Api['StatementType'] = api.StatementType
export const { DuckDBArrayValue, DuckDBDecimalValue, DuckDBListValue, DuckDBMapValue, DuckDBStructValue } =
  api
export const { DuckDBTimestampTZValue, DuckDBTimestampValue, blobValue, listValue } = api
export const { BIGINT, BLOB, BOOLEAN, DOUBLE, LIST, SQLNULL, TIMESTAMPTZ, VARCHAR } = api
export type DuckDBInstance = import('@duckdb/node-api').DuckDBInstance

/** Opens a database, runs `act` in UTC, and closes the database. */
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

/** Runs `act` on a new connection and closes the connection. */
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
