import type { DuckDBConnection } from '@duckdb/node-api'
import { onDatabase } from '../../definitions/duckdb.ts'
import { quoteIdentifier, quoteLiteral } from '../../definitions/quote.ts'
import { ACCOUNT } from '../../definitions/tables.ts'
import { columnsOf, tablesOfAccounts } from '../content-hash.ts'
import { openError } from '../database-errors.ts'
import { DamagedFile, isDamage } from './damage.ts'
import { generationOf } from './generation.ts'
import { MEMORY_LIMIT } from './open-file.ts'
import { onClosed } from './read-closed.ts'

const READING = { threads: '1', memory_limit: MEMORY_LIMIT }

/**
 * Reads every value of a closed file, so that DuckDB verifies the checksums. Returns the file's generation.
 * @param counts whether to compare row counts. The recorded counts of a working file may be outdated
 * @throws DamagedFile, or WarehouseError if the file cannot be read
 */
export async function verifyFile(path: string, { counts = true } = {}): Promise<string | null> {
  const verify = async (connection: DuckDBConnection) => {
    for (const [table, columns] of await columnsOf(connection)) {
      // DuckDB can compute `count` and `max` from statistics, but must read all blocks for `bit_xor`.
      const read = columns.map((column) => `bit_xor(hash(${quoteIdentifier(column)}))`)
      await connection.run(`select ${read.join(', ')} from ${quoteIdentifier(table)}`)
    }
    if (counts) await compareRows(connection)
    return generationOf(connection)
  }
  const verified = counts
    ? onClosed(path, verify, READING)
    : onDatabase(path, { ...READING, access_mode: 'READ_ONLY' }, verify)
  return verified.catch((cause: unknown) => {
    throw isDamage(cause) ? new DamagedFile(path, cause) : openError(cause, path)
  })
}

/** Returns the result of `verifyFile` as a check. `part` is the name to show for the file. */
export async function checkFile(part: string, path: string, { counts = true } = {}) {
  const found = `${path}: every block was read${counts ? ', rows agree with the ledger' : ''}`
  return verifyFile(path, { counts }).then(
    () => ({ part, found }),
    (error: unknown) => ({ part, error }),
  )
}

/** Table with the row counts of each account at the end of its last run. */
export const ROWS = 'sync_rows'

export async function noteRows(connection: DuckDBConnection, accountId: bigint): Promise<void> {
  const counts = (await tablesOfAccounts(connection))
    .filter((table) => table !== ROWS)
    .map(
      (table) =>
        `select ${accountId}, ${quoteLiteral(table)}, count(*) from ${quoteIdentifier(table)} where ${ACCOUNT.name} = ${accountId}`,
    )
  await connection.run(`begin transaction;
    delete from ${ROWS} where ${ACCOUNT.name} = ${accountId};
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
