import type { DuckDBConnection } from '@duckdb/node-api'
import { WarehouseError } from '../errors.ts'
import type { Resource } from '../resources/resource.ts'
import { literal, name } from './quote.ts'
import { ACCOUNT, type Table } from './tables.ts'

/**
 * Version of the layout that cannot grow by columns alone; a file with a higher one was written by a newer program.
 * 1: one account a file, and no `account_id` but in records that carry it. 2: every key begins with `account_id`.
 */
export const LAYOUT_VERSION = 2

/**
 * The layout of the file that is open, undefined when it holds no warehouse yet.
 * @throws WarehouseError when the file was written by a newer program
 */
export async function layoutOf(connection: DuckDBConnection): Promise<number | undefined> {
  const known = await connection.runAndReadAll(
    `select 1 from duckdb_tables() where table_name = 'faultline_meta' and schema_name = 'main'
     and database_name = current_database()`,
  )
  if (known.currentRowCount === 0) return undefined
  const found = await connection.runAndReadAll(`select value::int from faultline_meta where key = 'layout'`)
  const layout = found.getRows()[0]?.[0] as number | undefined
  if (layout !== undefined && layout > LAYOUT_VERSION) {
    throw new WarehouseError(
      `This warehouse was written by a newer Faultline (layout ${layout}; this one knows ${LAYOUT_VERSION}).`,
      { next: 'Update Faultline, or use another warehouse file.' },
    )
  }
  return layout
}

/** Writes down which layout the file has from now on. */
export async function noteLayout(connection: DuckDBConnection, layout: number): Promise<void> {
  await connection.run(`delete from faultline_meta where key = 'layout'`)
  await connection.run(`insert into faultline_meta (key, value) values ('layout', '${layout}')`)
}

/**
 * The one account of a file of layout 1: what most of its incidents say, else its other records that carry their account;
 * null when it has none.
 */
export async function accountOfLayout1(
  connection: DuckDBConnection,
  resources: readonly Resource[],
): Promise<bigint | null> {
  const stored = await connection.runAndReadAll(`
    select table_name from duckdb_columns()
    where column_name = ${literal(ACCOUNT.name)} and database_name = current_database()`)
  const tables = new Set(stored.getRows().map((row) => row[0]))
  for (const { table, columns } of resources) {
    if (!tables.has(table) || !columns.some((column) => column.name === ACCOUNT.name)) continue
    const found = await connection.runAndReadAll(`
      select account_id from ${name(table)} where account_id is not null
      group by account_id order by count(*) desc, account_id limit 1`)
    const account = found.getRows()[0]?.[0] as bigint | undefined
    if (account !== undefined) return account
  }
  return null
}

/** Makes every row of a file of layout 1 the account's; call it once its tables have the column. */
export async function giveToAccount(connection: DuckDBConnection, tables: readonly Table[], account: bigint) {
  for (const table of tables) {
    if (!table.columns.some((column) => column.name === ACCOUNT.name)) continue
    await connection.run(`
      update ${name(table.name)} set account_id = ${literal(String(account))}::bigint
      where account_id is distinct from ${literal(String(account))}::bigint`)
  }
}

/**
 * What to select of a table of an older file so that it has the columns of today, in their order.
 * @param present the columns it has
 * @param account its one account, for a file of layout 1
 */
export function asToday(
  columns: Table['columns'],
  present: ReadonlySet<string>,
  account: bigint | null,
): string[] {
  return columns.map((column) => {
    const isAccount = account !== null && column.name === ACCOUNT.name
    const value = isAccount ? String(account) : present.has(column.name) ? name(column.name) : 'null'
    return `${value}::${column.type} as ${name(column.name)}`
  })
}
