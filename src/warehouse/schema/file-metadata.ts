import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteLiteral } from '../../definitions/quote.ts'
import { WarehouseError } from '../../errors.ts'

/** Returns the rows of `faultline_meta` by key, or an empty map if that table does not exist yet. */
export async function readNotes(connection: DuckDBConnection): Promise<ReadonlyMap<string, string>> {
  const tables = await connection.runAndReadAll(
    `from duckdb_tables() where table_name = 'faultline_meta' and database_name = current_database()`,
  )
  if (tables.currentRowCount === 0) return new Map()
  const found = await connection.runAndReadAll('select key, value from faultline_meta')
  return new Map(found.getRows() as [string, string][])
}

export async function writeNotes(
  connection: DuckDBConnection,
  notes: ReadonlyMap<string, string>,
): Promise<void> {
  const rows = [...notes].map(([key, value]) => `(${quoteLiteral(key)}, ${quoteLiteral(value)})`)
  const keys = [...notes.keys()].map(quoteLiteral)
  await connection.run(`begin transaction;
    delete from faultline_meta where key in (${keys.join()});
    insert into faultline_meta values ${rows.join()};
    commit`)
}

/**
 * Compares privacy rules. @throws WarehouseError if the attached working file has other privacy rules than the open
 * copy
 */
export async function checkRules(connection: DuckDBConnection, file: string): Promise<void> {
  const rules = (meta: string) => `coalesce((select max(value) from ${meta} where key = 'privacy'), '')`
  const found = await connection.runAndReadAll(
    `select ${rules('faultline_meta')} = ${rules('synced.main.faultline_meta')}`,
  )
  if (found.getRows()[0]![0] === true) return
  throw new WarehouseError(`${file} was written under other privacy rules than the published copy.`, {
    next: 'Sync that account again: the rules were changed while it was read.',
  })
}
