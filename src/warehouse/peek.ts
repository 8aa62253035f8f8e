import { existsSync } from 'node:fs'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { Kysely } from 'kysely'
import type { Resource } from '../resources/resource.ts'
import { allTables, createTables } from './create.ts'
import type { Database } from './database.ts'
import { DuckDbDialect } from './dialect.ts'
import { warehouseFiles } from './files.ts'
import { accountOfLayout1, asToday, LAYOUT_VERSION, layoutOf } from './layout.ts'
import { openError } from './open-file.ts'
import { literal, name } from './quote.ts'

/**
 * Looks at what the sync would start from, without writing: the working file, else the published copy, else an
 * empty warehouse in memory. A file of an older layout looks as the sync would make it; without `accountId` it may
 * lack the account.
 * @throws WarehouseError when a sync is writing just now, or the file cannot be read or is of a newer program
 */
export async function peekWarehouse<Result>(
  path: string,
  resources: readonly Resource[],
  look: (db: Kysely<Database>) => Promise<Result>,
  accountId?: bigint,
): Promise<Result> {
  const files = warehouseFiles(path)
  const file = [files.working, files.published].find((one) => existsSync(one))
  const instance = await DuckDBInstance.create(
    file ?? ':memory:',
    file ? { access_mode: 'READ_ONLY' } : {},
  ).catch((cause: unknown) => {
    throw openError(cause, files)
  })
  const connection = await instance.connect()
  try {
    await connection.run(`set TimeZone = 'UTC'`)
    if (!file) await createTables(connection, resources)
    else await showAsNew(connection, resources, accountId)
    return await look(new Kysely<Database>({ dialect: new DuckDbDialect(connection) }))
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** Puts temporary views with every column of today before the tables of a file of an older layout. */
async function showAsNew(
  connection: DuckDBConnection,
  resources: readonly Resource[],
  accountId: bigint | undefined,
) {
  const layout = await layoutOf(connection)
  if (layout === undefined || layout === LAYOUT_VERSION) return
  const account = (await accountOfLayout1(connection, resources)) ?? accountId ?? null
  const database = (await connection.runAndReadAll('select current_database()')).getRows()[0]?.[0]
  for (const table of allTables(resources)) {
    const found = await connection.runAndReadAll(
      `select column_name from duckdb_columns() where table_name = ${literal(table.name)}
       and database_name = current_database() and schema_name = 'main'`,
    )
    const present = new Set(found.getRows().map((row) => String(row[0])))
    const columns = asToday(table.columns, present, account)
    // A view finds itself under its plain name.
    const from = present.size > 0 ? `from ${name(String(database))}.main.${name(table.name)}` : 'where false'
    await connection.run(`create temp view ${name(table.name)} as select ${columns.join(', ')} ${from}`)
  }
}
