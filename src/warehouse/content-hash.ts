import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteIdentifiers, quoteLiteral } from '../definitions/quote.ts'
import { ACCOUNT } from '../definitions/tables.ts'

/** Number of an account's rows in one table, and a digest of these rows. */
export interface Content {
  readonly rows: bigint
  readonly digest: string
}

/** Returns the number and digest of an account's rows. The digest can depend on the version of DuckDB. */
export async function contentOf(
  connection: DuckDBConnection,
  from: string,
  columns: readonly string[],
  accountId: bigint,
): Promise<Content> {
  const found = await connection.runAndReadAll(`
    select count(*), concat_ws(' ', version(), ${columns.length}, count(*), bit_xor(h), sum(h))
    from (select hash(${quoteIdentifiers(columns)}) as h from ${from} where ${ACCOUNT.name} = ${accountId})`)
  const [rows, digest] = found.getRows()[0] as [bigint, string]
  return { rows, digest }
}

/**
 * Returns the columns of each table, sorted by name. If two databases are given, returns only the columns that both
 * have.
 */
export async function columnsOf(
  connection: DuckDBConnection,
  ...databases: readonly string[]
): Promise<Map<string, string[]>> {
  const found = await connection.runAndReadAll(`
    select table_name, list(column_name order by column_name) from (
      select table_name, column_name from duckdb_columns() where database_name in (${databases.map(quoteLiteral).join(', ')})
      group by all having count(*) = ${databases.length})
    group by 1`)
  return new Map(found.getRowsJS() as [string, string[]][])
}

export async function tablesOfAccounts(connection: DuckDBConnection, database?: string): Promise<string[]> {
  const found = await connection.runAndReadAll(`
    select table_name from duckdb_columns() join duckdb_tables() using (database_name, schema_name, table_name)
    where column_name = ${quoteLiteral(ACCOUNT.name)} and schema_name = 'main'
      and database_name = ${database === undefined ? 'current_database()' : quoteLiteral(database)}
    order by table_name`)
  return found.getRows().map(([table]) => String(table))
}
