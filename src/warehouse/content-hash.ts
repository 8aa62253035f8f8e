import type { DuckDBConnection } from '@duckdb/node-api'
import type { Parser } from '../definitions/parse-tree.ts'
import { quoteIdentifiers, quoteLiteral } from '../definitions/quote.ts'
import { ACCOUNT } from '../definitions/tables.ts'

/** Row count and digest of an account's rows in one table. */
export interface Content {
  readonly rows: bigint
  readonly digest: string
}

/**
 * Counts the rows of `from` and computes their digest, which can depend on the version of DuckDB. @param from table, or
 * subquery in parentheses
 */
export async function contentOf(
  connection: DuckDBConnection,
  from: string,
  columns: readonly string[],
  accountId: bigint,
): Promise<Content> {
  const found = await connection.runAndReadAll(`
    select count(*), concat_ws(' ', version(), ${columns.length}, count(*), bit_xor(h), sum(h))
    from (select hash(${quoteIdentifiers([...columns].sort())}) as h from ${from} where ${ACCOUNT.name} = ${accountId})`)
  const [rows, digest] = found.getRows()[0] as [bigint, string]
  return { rows, digest }
}

/** Returns the columns of each table, sorted by table name, without views. The default is the current database. */
export async function columnsOf(on: Parser, database?: string): Promise<Map<string, string[]>> {
  const found = await on.runAndReadAll(`
    select table_name, column_name from duckdb_columns() join duckdb_tables() using (database_name, schema_name, table_name)
    where schema_name = 'main' and database_name = ${database === undefined ? 'current_database()' : quoteLiteral(database)}
    order by table_name, column_index`)
  const tables = new Map<string, string[]>()
  for (const [table, column] of found.getRows() as [string, string][])
    tables.set(table, [...(tables.get(table) ?? []), column])
  return tables
}

export async function tablesOfAccounts(on: Parser, database?: string): Promise<string[]> {
  const tables = await columnsOf(on, database)
  return [...tables.keys()].filter((table) => tables.get(table)?.includes(ACCOUNT.name))
}
