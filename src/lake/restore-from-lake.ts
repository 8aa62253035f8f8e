import { existsSync } from 'node:fs'
import { quoteIdentifier, quoteLiteral } from '../definitions/quote.ts'
import { ACCOUNT } from '../definitions/tables.ts'
import { WarehouseError } from '../errors.ts'
import type { Lake } from '../settings/lake.ts'
import { tablesOfAccounts } from '../warehouse/content-hash.ts'
import { openError } from '../warehouse/database-errors.ts'
import { DamagedFile, isDamage } from '../warehouse/file/damage.ts'
import type { AccountFiles } from '../warehouse/file/files.ts'
import { KEY as GENERATION, lineageOf } from '../warehouse/file/generation.ts'
import { removeDatabase, replaceDatabase } from '../warehouse/file/logs.ts'
import { onDatabase } from '../warehouse/file/open-file.ts'
import { TABLE as MIGRATIONS } from '../warehouse/schema/migrations.ts'
import { inLake, LAKE, onPublished } from './catalog.ts'
import { asking, findCorruptTables, NOTES, PUBLISHED, publishedTables } from './lake-tables.ts'

const REPORT_RUNS = 'report_runs'

/** Returns the accounts of the lake with their names. Empty if there is no lake yet. */
export async function accountsInLake(lake: Lake): Promise<Map<bigint, string | null>> {
  return onPublished(lake, new Map(), async (connection) => {
    const found = await connection.runAndReadAll('select account_id, name from accounts order by 1')
    return new Map(found.getRows() as [bigint, string | null][])
  })
}

/** Fills a missing or outdated working file from the lake, so that nothing is read from the service again. */
export async function restoreFromLake(
  lake: Lake,
  { working }: AccountFiles,
  accountId: bigint,
): Promise<void> {
  await onPublished(lake, undefined, async (connection) => {
    const published = (await publishedTables(connection, accountId)).get(NOTES)?.digest
    if (published !== undefined && existsSync(working) && (await comesFrom(working, published))) return
    const [wrong] = await findCorruptTables(asking(connection), accountId)
    if (wrong) throw doubled(lake, accountId)
    if (published === undefined) return
    const copy = `${working}.restored`
    // The name is unique, because other accounts are restored at the same time.
    const restored = quoteIdentifier(`restored ${accountId}`)
    removeDatabase(copy)
    await connection.run(`attach ${quoteLiteral(copy)} as ${restored}`)
    try {
      const tables = await tablesOfAccounts(connection, LAKE)
      const made = tables
        .filter((table) => table !== PUBLISHED.name)
        .map(
          (table) =>
            `${quoteIdentifier(table)} as from ${inLake(table)} where ${ACCOUNT.name} = ${accountId}`,
        )
      const shared = [
        `${MIGRATIONS} as from ${inLake(MIGRATIONS)}`,
        `${quoteIdentifier(REPORT_RUNS)} as from ${inLake(REPORT_RUNS)}`,
        `${NOTES} as from ${inLake(NOTES)} where key = 'privacy'`,
      ]
      await connection.run(`begin;
        ${[...made, ...shared].map((one) => `create table ${restored}.main.${one}`).join(';\n')};
        insert into ${restored}.main.${NOTES} values (${quoteLiteral(GENERATION)}, ${quoteLiteral(published)});
        commit; force checkpoint ${restored}`)
    } finally {
      await connection.run('rollback').catch(() => undefined)
      await connection.run(`detach ${restored}`)
    }
    replaceDatabase(copy, working)
  })
}

function doubled(lake: Lake, accountId: bigint): WarehouseError {
  return new WarehouseError(`Account ${accountId} of ${lake} is stored more than once, or only in part.`, {
    next: 'Run `faultline lake maintain --repair`, then sync again.',
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
