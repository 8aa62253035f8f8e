import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteIdentifier, quoteLiteral } from '../../definitions/quote.ts'
import { ACCOUNT } from '../../definitions/tables.ts'
import type { CheckOutcome } from '../check-outcome.ts'
import { tablesOfAccounts } from '../content-hash.ts'
import { openError } from '../database-errors.ts'
import { DamagedFile, isDamage } from './damage.ts'
import { generationOf } from './generation.ts'
import { MEMORY_LIMIT, onDatabase } from './open-file.ts'
import { onClosed } from './read-closed.ts'

const READING = { threads: '1', memory_limit: MEMORY_LIMIT }

export interface Verified {
  /** The publication that created the file, or null if an older program created it. */
  readonly generation: string | null
}

/**
 * Reads every value of a closed file, so that DuckDB verifies the checksums. Also compares row counts with the ledger.
 * @param counts false for a working file, which might contain only a part of a run
 * @throws DamagedFile, or WarehouseError if the file cannot be read at all
 */
export async function verifyFile(path: string, { counts = true } = {}): Promise<Verified> {
  const verify = async (connection: DuckDBConnection): Promise<Verified> => {
    for (const { table, columns } of await tablesOf(connection)) {
      // Uses `bit_xor`, because DuckDB could compute `count` or `max` from statistics, without reading the blocks.
      const read = columns.map((column) => `bit_xor(hash(${quoteIdentifier(column)}))`)
      await connection.run(`select ${read.join(', ')} from ${quoteIdentifier(table)}`)
    }
    if (counts) await compareRows(connection)
    return { generation: await generationOf(connection) }
  }
  const verified = counts
    ? onClosed(path, verify, READING)
    : onDatabase(path, { ...READING, access_mode: 'READ_ONLY' }, verify)
  return verified.catch((cause: unknown) => {
    throw isDamage(cause) ? new DamagedFile(path, cause) : openError(cause, path)
  })
}

/** Returns the result of `verifyFile` as a check. @param part names the file */
export async function checkFile(
  part: string,
  path: string,
  { counts = true }: { readonly counts?: boolean } = {},
): Promise<CheckOutcome> {
  try {
    await verifyFile(path, { counts })
    return { part, found: `${path}: every block was read${counts ? ', rows agree with the ledger' : ''}` }
  } catch (error) {
    return { part, error }
  }
}

async function tablesOf(connection: DuckDBConnection): Promise<{ table: string; columns: string[] }[]> {
  const found = await connection.runAndReadAll(`
    select table_name, column_name from duckdb_columns() join duckdb_tables() using (database_name, schema_name, table_name)
    where database_name = current_database() and not temporary order by table_name, column_index`)
  const tables = new Map<string, string[]>()
  for (const [table, column] of found.getRows() as [string, string][])
    tables.set(table, [...(tables.get(table) ?? []), column])
  return [...tables].map(([table, columns]) => ({ table, columns }))
}

/** The ledger of row counts, with the number of an account's rows in each table at the end of its last run. */
export const ROWS = 'sync_rows'

export async function noteRows(connection: DuckDBConnection, accountId: bigint): Promise<void> {
  const account = `${quoteLiteral(String(accountId))}::bigint`
  const counts = (await tablesOfAccounts(connection))
    .filter((table) => table !== ROWS)
    .map(
      (table) =>
        `select ${account}, ${quoteLiteral(table)}, count(*) from ${quoteIdentifier(table)} where ${ACCOUNT.name} = ${account}`,
    )
  await connection.run(`begin transaction;
    delete from ${ROWS} where ${ACCOUNT.name} = ${account};
    insert into ${ROWS} (account_id, table_name, row_count) ${counts.join(' union all ')};
    commit`)
}

async function compareRows(connection: DuckDBConnection): Promise<void> {
  const tables = await tablesOfAccounts(connection)
  if (!tables.includes(ROWS)) return
  for (const table of tables) {
    if (table === ROWS) continue
    const found = await connection.runAndReadAll(`
      select noted.account_id, noted.row_count, count(own.${ACCOUNT.name}) as found
      from ${ROWS} noted left join ${quoteIdentifier(table)} own using (${ACCOUNT.name})
      where noted.table_name = ${quoteLiteral(table)} group by all having found <> noted.row_count`)
    const [wrong] = found.getRows()
    if (wrong) {
      throw new Error(
        `Corrupt contents: ${table} contains ${wrong[2]} rows of account ${wrong[0]}, but the ledger lists ${wrong[1]}`,
      )
    }
  }
}
