import type { DuckDBConnection } from '@duckdb/node-api'
import type { Parser } from '../definitions/parse-tree.ts'
import { quoteIdentifier, quoteLiteral } from '../definitions/quote.ts'
import { ACCOUNT, type Table } from '../definitions/tables.ts'
import type { Lake } from '../settings/lake.ts'
import { type Content, columnsOf, contentOf } from '../warehouse/content-hash.ts'
import { inLake, LAKE, onPublished } from './catalog.ts'

export const NOTES = 'faultline_meta'

/**
 * Row count and digest of each published table of an account. Only the newest row for a table is valid. Older rows stay
 * until maintenance, because each deletion adds an object to the store. For `faultline_meta`, the digest is the file's
 * generation, a random id that changes with each publication.
 */
export const PUBLISHED: Table = {
  name: 'lake_tables',
  description:
    'What was published for each table of an account. If a table has several rows, the last publication applies.',
  columns: [
    ACCOUNT,
    { name: 'table_name', type: 'VARCHAR', meaning: 'Table.' },
    { name: 'row_count', type: 'BIGINT', meaning: 'Rows of the account in the table.' },
    { name: 'digest', type: 'VARCHAR', meaning: 'Hash that changes with any value of the rows.' },
    {
      name: 'publication',
      type: 'BIGINT',
      meaning:
        'Number of the publication of the account; NULL if an earlier version of Faultline published it.',
    },
  ],
}

/** Ranks the rows for each table, newest first. Rows of two simultaneous publications share a rank. */
const AGE = `rank() over (partition by ${ACCOUNT.name}, table_name order by publication desc nulls last)`

/** Selects the newest rows of `lake_tables`. The default is all accounts. */
export function newest(from: string, accountId?: bigint): string {
  const own = accountId === undefined ? '' : `where ${ACCOUNT.name} = ${accountId}`
  return `(from ${from} ${own} qualify ${AGE} = 1)`
}

export async function notePublished(
  connection: DuckDBConnection,
  accountId: bigint,
  tables: ReadonlyMap<string, Content>,
): Promise<void> {
  const rows = [...tables].map(
    ([table, { rows, digest }]) => `(${quoteLiteral(table)}, ${rows}, ${quoteLiteral(digest)})`,
  )
  await connection.run(`insert into ${inLake(PUBLISHED.name)}
    select ${accountId}, *, (select coalesce(max(publication), 0) + 1 from ${inLake(PUBLISHED.name)} where ${ACCOUNT.name} = ${accountId})
    from (values ${rows.join(', ')})`)
}

export async function deleteReplacedRows(connection: DuckDBConnection): Promise<void> {
  await connection.run(`delete from ${inLake(PUBLISHED.name)}
    where rowid in (select rowid from ${inLake(PUBLISHED.name)} qualify ${AGE} > 1)`)
}

/** Returns what was published for each table. Omits tables that two processes published at the same time. */
export async function publishedTables(
  connection: DuckDBConnection,
  accountId: bigint,
): Promise<Map<string, Content>> {
  const found = await connection.runAndReadAll(`select table_name, any_value(row_count), any_value(digest)
    from ${newest(inLake(PUBLISHED.name), accountId)} group by 1 having count(*) = 1`)
  return new Map(
    (found.getRows() as [string, bigint, string][]).map(([table, rows, digest]) => [table, { rows, digest }]),
  )
}

/** A table whose rows differ from what was published. `rows` is the current count, `published` the recorded one. */
export interface Wrong {
  readonly accountId: bigint
  readonly table: string
  readonly rows: bigint
  readonly published: bigint
}

/**
 * Finds tables whose row counts differ from what was published, or that two processes published at the same time.
 * @param on a connection on which `lake` is the current database
 */
export async function findCorruptTables(on: Parser, accountId?: bigint): Promise<Wrong[]> {
  const ask = async (sql: string) => (await on.runAndReadAll(sql)).getRows()
  const own = accountId === undefined ? '' : `where ${ACCOUNT.name} = ${accountId}`
  const tables = await ask(
    `select distinct table_name from ${PUBLISHED.name} where table_name <> ${quoteLiteral(NOTES)} order by 1`,
  )
  if (tables.length === 0) return []
  const counts = tables.map(
    ([table]) =>
      `select ${ACCOUNT.name}, ${quoteLiteral(String(table))} as table_name, count(*) as found from ${quoteIdentifier(String(table))} ${own} group by 1`,
  )
  const wrong = await ask(`
    select ${ACCOUNT.name}, table_name, coalesce(any_value(found), 0), any_value(row_count)
    from ${newest(PUBLISHED.name, accountId)} left join (${counts.join(' union all ')}) using (${ACCOUNT.name}, table_name)
    group by all having count(*) > 1 or (table_name <> ${quoteLiteral(NOTES)} and coalesce(any_value(found), 0) <> any_value(row_count))
    order by all`)
  return (wrong as [bigint, string, bigint, bigint][]).map(([accountId, table, rows, published]) => ({
    ...{ accountId, table, rows, published },
  }))
}

/**
 * Compares the values in the lake with what was published. After an update of DuckDB, compares only row counts, because
 * digests depend on its version.
 */
export async function verifyInLake(lake: Lake, accountId: bigint): Promise<Wrong[]> {
  return onPublished(lake, [], async (connection) => {
    // In a transaction, all statements read the same snapshot, even if another process publishes meanwhile.
    await connection.run('begin')
    const wrong = await findCorruptTables(connection, accountId)
    const known = new Set(wrong.map(({ table }) => table))
    const [[version]] = (await connection.runAndReadAll('select version()')).getRows() as [[string]]
    const columns = await columnsOf(connection, LAKE)
    for (const [table, published] of await publishedTables(connection, accountId)) {
      const own = columns.get(table) ?? []
      if (known.has(table) || !published.digest.startsWith(`${version} ${own.length} `)) continue
      const { rows, digest } = await contentOf(connection, inLake(table), own, accountId)
      if (digest !== published.digest) wrong.push({ accountId, table, rows, published: published.rows })
    }
    await connection.run('commit')
    return wrong
  })
}
