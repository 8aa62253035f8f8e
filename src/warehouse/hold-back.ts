import { existsSync } from 'node:fs'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import type { Resource } from '../resources/resource.ts'
import { accountOfLayout1, asToday, layoutOf } from './layout.ts'
import { WRITING } from './open-file.ts'
import { literal, name } from './quote.ts'
import { ACCOUNT, type Table } from './tables.ts'

/** What the copy that readers have is called while rows are taken from it. */
const BEFORE = 'published_before'

/**
 * Gives a copy of the working file, at `path`, the rows that readers have of these accounts now, in place of its own:
 * none, where an account was never published. So an account that was read half-way neither shows that to anybody nor
 * keeps the others from being published, and the working file keeps what was read of it.
 * @param published the copy that readers have; it may be missing or of an older layout
 */
export async function holdBack(
  path: string,
  published: string,
  resources: readonly Resource[],
  accounts: readonly bigint[],
): Promise<void> {
  const instance = await DuckDBInstance.create(path, WRITING)
  const connection = await instance.connect()
  try {
    await connection.run(`set TimeZone = 'UTC'`)
    const tables = await tablesOf(connection)
    const before = existsSync(published)
      ? await rowsBefore(connection, published, resources)
      : () => undefined
    const isHeld = `${ACCOUNT.name} in (${accounts.map(String).join(', ')})`
    await connection.run('begin transaction')
    for (const { name: table, columns } of tables) {
      const isOwned = columns.some((column) => column.name === ACCOUNT.name)
      // Windows belong to an account through their run.
      if (!isOwned && table !== 'sync_windows') continue
      const belongs = (runs: string) =>
        isOwned ? isHeld : `run_id in (select run_id from ${runs} where ${isHeld})`
      await connection.run(`delete from ${name(table)} where ${belongs('sync_runs')}`)
      const rows = before({ name: table, columns })
      const runs = before(tables.find((one) => one.name === 'sync_runs')!)
      if (rows && runs) {
        await connection.run(
          `insert into ${name(table)} by name select * from ${rows} where ${belongs(runs)}`,
        )
      }
    }
    await connection.run('commit')
    await connection.run('checkpoint')
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

type Columns = Pick<Table, 'name' | 'columns'>

/** The tables of the file that is open; those without an account first, since they look for it in another. */
async function tablesOf(connection: DuckDBConnection): Promise<Columns[]> {
  const found = await connection.runAndReadAll(`
    select table_name, list(column_name order by column_index), list(data_type order by column_index)
    from duckdb_columns()
    where database_name = current_database() and schema_name = 'main'
      and table_name in (select table_name from duckdb_tables() where database_name = current_database())
    group by table_name
    order by bool_or(column_name = ${literal(ACCOUNT.name)}), table_name`)
  return found.getRowsJS().map(([table, names, types]) => ({
    name: table as string,
    columns: (names as string[]).map((column, index) => ({
      name: column,
      type: (types as string[])[index]!,
    })),
  }))
}

/** What to select from, in the copy that readers have, with the columns of a table of today; undefined without one. */
async function rowsBefore(connection: DuckDBConnection, published: string, resources: readonly Resource[]) {
  const [row] = (await connection.runAndReadAll('select current_database()')).getRows()
  await connection.run(`attach ${literal(published)} as ${BEFORE} (read_only)`)
  await connection.run(`use ${BEFORE}`)
  const account = (await layoutOf(connection)) === 1 ? await accountOfLayout1(connection, resources) : null
  const tables = new Map((await tablesOf(connection)).map((table) => [table.name, table.columns]))
  await connection.run(`use ${name(String(row![0]))}`)
  return ({ name: table, columns }: Columns): string | undefined => {
    const present = tables.get(table)
    if (!present) return undefined
    const values = asToday(columns, new Set(present.map((column) => column.name)), account)
    return `(select ${values.join(', ')} from ${BEFORE}.main.${name(table)})`
  }
}
