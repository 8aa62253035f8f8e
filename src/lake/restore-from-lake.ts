import { existsSync } from 'node:fs'
import { onDatabase } from '../definitions/duckdb.ts'
import { quoteIdentifier, quoteLiteral } from '../definitions/quote.ts'
import { ACCOUNT } from '../definitions/tables.ts'
import { WarehouseError } from '../errors.ts'
import type { Lake } from '../settings/lake.ts'
import { tablesOfAccounts } from '../warehouse/content-hash.ts'
import { openError } from '../warehouse/database-errors.ts'
import { DamagedFile, isDamage } from '../warehouse/file/damage.ts'
import { KEY as GENERATION, lineageOf } from '../warehouse/file/generation.ts'
import { removeDatabase, replaceDatabase } from '../warehouse/file/logs.ts'
import { TABLE as MIGRATIONS } from '../warehouse/schema/migrations.ts'
import { inLake, LAKE, onPublished } from './catalog.ts'
import { findCorruptTables, NOTES, PUBLISHED, publishedTables } from './lake-tables.ts'

/** Returns the names of the published accounts by id. The map is empty if the lake does not exist yet. */
export async function accountsInLake(lake: Lake): Promise<Map<bigint, string | null>> {
  return onPublished(lake, new Map(), async (connection) => {
    const found = await connection.runAndReadAll('select account_id, name from accounts order by 1')
    return new Map(found.getRows() as [bigint, string | null][])
  })
}

/** Creates a missing or outdated working file, so that the sync does not read all records again. */
export async function restoreFromLake(lake: Lake, working: string, accountId: bigint): Promise<void> {
  await onPublished(lake, undefined, async (connection) => {
    const published = (await publishedTables(connection, accountId)).get(NOTES)?.digest
    if (published !== undefined && existsSync(working) && (await comesFrom(working, published))) return
    const [wrong] = await findCorruptTables(connection, accountId)
    if (wrong) {
      throw new WarehouseError(`Account ${accountId} of ${lake} is stored more than once, or only in part.`, {
        next: 'Run `faultline lake maintain --repair`, then sync again.',
      })
    }
    if (published === undefined) return
    const copy = `${working}.restored`
    // The name contains the account, because the same process can restore several accounts at the same time.
    const restored = quoteIdentifier(`restored ${accountId}`)
    removeDatabase(copy)
    await connection.run(`attach ${quoteLiteral(copy)} as ${restored}`)
    try {
      const conditions = [
        ...(await tablesOfAccounts(connection, LAKE))
          .filter((table) => table !== PUBLISHED.name)
          .map((table) => [table, `${ACCOUNT.name} = ${accountId}`]),
        ...[
          [MIGRATIONS, 'true'],
          ['report_runs', 'true'],
          [NOTES, "key = 'privacy'"],
        ],
      ] as [string, string][]
      const made = conditions.map(
        ([table, condition]) =>
          `create table ${restored}.main.${quoteIdentifier(table)} as from ${inLake(table)} where ${condition}`,
      )
      await connection.run(`begin;
        ${made.join(';\n')};
        insert into ${restored}.main.${NOTES} values (${quoteLiteral(GENERATION)}, ${quoteLiteral(published)});
        commit; force checkpoint ${restored}`)
    } finally {
      await connection.run('rollback').catch(() => undefined)
      await connection.run(`detach ${restored}`)
    }
    replaceDatabase(copy, working)
  })
}

async function comesFrom(working: string, generation: string): Promise<boolean> {
  const lineage = await onDatabase(working, { access_mode: 'READ_ONLY' }, lineageOf).catch(
    (cause: unknown) => {
      throw isDamage(cause) ? new DamagedFile(working, cause) : openError(cause, working)
    },
  )
  return lineage.includes(generation)
}
