import { existsSync, rmSync } from 'node:fs'
import type { DuckDBConnection } from '@duckdb/node-api'
import { onDatabase } from '../../definitions/duckdb.ts'
import { quoteIdentifier, quoteLiteral } from '../../definitions/quote.ts'
import { ACCOUNT } from '../../definitions/tables.ts'
import { flush } from '../../effects.ts'
import { WarehouseError } from '../../errors.ts'
import { reasonOf } from '../../external-errors.ts'
import { columnsOf, tablesOfAccounts } from '../content-hash.ts'
import { errorWhile } from '../database-errors.ts'
import { checkRules } from '../schema/file-metadata.ts'
import { DamagedFile, isDamage } from './damage.ts'
import { whileLocked } from './file-lock.ts'
import { accountFiles, type PublishedFiles } from './files.ts'
import { replaceGeneration } from './generation.ts'
import { copyDatabase, removeDatabase, replaceDatabase, replacePublished } from './logs.ts'
import { WRITING } from './open-file.ts'
import { onClosed } from './read-closed.ts'
import { keepPreviousCopy } from './repair-file.ts'
import { verifyFile } from './verify-file.ts'

/** Returns the name of each published account. The map is empty if nothing was published. */
export async function accountsInFile(files: PublishedFiles): Promise<Map<bigint, string | null>> {
  const { published } = files
  if (!existsSync(published)) return new Map()
  try {
    return await onClosed(published, async (connection) => {
      const found = await connection.runAndReadAll('select account_id, name from accounts order by 1')
      return new Map(found.getRows() as [bigint, string | null][])
    })
  } catch (cause) {
    if (isDamage(cause)) throw new DamagedFile(published, cause)
    throw new WarehouseError(`The published copy ${published} cannot be read: ${reasonOf(cause)}`, {
      cause,
      next: 'If it is damaged or not a warehouse, move it away. The next sync of each account publishes it again.',
    })
  }
}

/**
 * Replaces the rows of accounts in the published copy with the rows in their closed working files.
 * @param prepare updates a copy with several accounts to this version's tables and definitions
 * @throws WarehouseError if the copy cannot be written. The previous copy then remains published
 */
export async function publishToFile(
  files: PublishedFiles,
  accounts: readonly bigint[],
  prepare: (connection: DuckDBConnection) => Promise<void>,
): Promise<void> {
  const { published, next } = files
  await whileLocked(files.publishing, async () => {
    const before = await accountsInFile(files)
    const others = [...before.keys()].filter((account) => !accounts.includes(account))
    const [first, ...rest] = accounts.map((account) => accountFiles(files, account).working)
    // `verifyNext` checks the rows of other accounts. If there are none, verifies the published copy here, because it
    // becomes the previous copy and must be intact.
    if (others.length === 0 && existsSync(published)) await verifyFile(published)
    copyDatabase(others.length > 0 ? published : first!, next)
    const added = others.length > 0 ? [first!, ...rest] : rest
    if (added.length > 0) await merge(next, added, prepare)
    await replaceGeneration(files, await verifyNext(files, accounts), async () => {
      await keepPreviousCopy(files)
      replacePublished(files, next)
    })
  }).catch((cause: unknown) => {
    throw errorWhile('publishing', `The published copy ${published} could not be replaced`, cause)
  })
}

/** Reads every value before publication. @throws DamagedFile that names the damaged file */
async function verifyNext(files: PublishedFiles, accounts: readonly bigint[]): Promise<string | null> {
  try {
    return await verifyFile(files.next)
  } catch (error) {
    rmSync(files.next, { force: true })
    if (!(error instanceof DamagedFile)) throw error
    for (const account of accounts) await verifyFile(accountFiles(files, account).working, { counts: false })
    if (existsSync(files.published)) await verifyFile(files.published)
    throw error
  }
}

/** Creates a missing working file from the published copy, so that the sync does not read all records again. */
export async function restoreFromFile(
  files: PublishedFiles,
  working: string,
  accountId: bigint,
): Promise<void> {
  if (existsSync(working)) return
  const published = await accountsInFile(files)
  if (!published.has(accountId)) return
  await verifyFile(files.published)
  const copy = `${working}.restored`
  if (published.size > 1) {
    removeDatabase(copy)
    await onClosed(files.published, (_, path) =>
      onDatabase(copy, WRITING, (connection) => takeAccount(connection, path, accountId)),
    )
    flush(copy)
  } else copyDatabase(files.published, copy)
  replaceDatabase(copy, working)
}

async function takeAccount(connection: DuckDBConnection, from: string, accountId: bigint): Promise<void> {
  await connection.run(`attach ${quoteLiteral(from)} as published (read_only)`)
  for (const [table, columns] of await columnsOf(connection, 'published')) {
    const where = columns.includes(ACCOUNT.name) ? `where ${ACCOUNT.name} = ${accountId}` : ''
    await connection.run(
      `create table ${quoteIdentifier(table)} as from published.main.${quoteIdentifier(table)} ${where}`,
    )
  }
  // Removes these entries, so that the sync creates comments and views when it opens the file.
  await connection.run(
    "delete from faultline_meta where key in ('definitions', 'settings'); detach published; checkpoint",
  )
}

async function merge(
  next: string,
  working: readonly string[],
  prepare: (connection: DuckDBConnection) => Promise<void>,
): Promise<void> {
  try {
    await onDatabase(next, WRITING, async (connection) => {
      await prepare(connection)
      const tables = await tablesOfAccounts(connection)
      for (const file of working) {
        await connection.run(`attach ${quoteLiteral(file)} as synced (read_only)`)
        await checkRules(connection, file)
        const own = new Set(await tablesOfAccounts(connection, 'synced'))
        // Skips old tables that no resource uses any more, because a new working file lacks them.
        const shared = tables.filter((table) => own.has(table)).map(quoteIdentifier)
        const replacements = shared.map(
          (
            table,
          ) => `delete from ${table} where ${ACCOUNT.name} in (select ${ACCOUNT.name} from synced.accounts);
            insert into ${table} by name select * from synced.main.${table}`,
        )
        await connection.run(['begin transaction', ...replacements, 'commit', 'detach synced'].join(';\n'))
      }
      await connection.run('checkpoint')
    })
    flush(next)
  } catch (error) {
    removeDatabase(next)
    throw error
  }
}
