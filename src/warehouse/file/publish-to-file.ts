import { existsSync, rmSync } from 'node:fs'
import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteIdentifier, quoteLiteral } from '../../definitions/quote.ts'
import { ACCOUNT } from '../../definitions/tables.ts'
import { flush } from '../../effects.ts'
import { WarehouseError } from '../../errors.ts'
import { reasonOf } from '../../external-errors.ts'
import { tablesOfAccounts } from '../content-hash.ts'
import { errorWhile } from '../database-errors.ts'
import { checkRules } from '../schema/file-metadata.ts'
import { DamagedFile, isDamage } from './damage.ts'
import { waitForLock } from './file-lock.ts'
import { type AccountFiles, accountFiles, type PublishedFiles } from './files.ts'
import { expectedGenerations, expectGenerations } from './generation.ts'
import { copyDatabase, removeDatabase, replaceDatabase, replacePublished } from './logs.ts'
import { onDatabase, WRITING } from './open-file.ts'
import { onClosed } from './read-closed.ts'
import { keepPreviousCopy } from './repair-file.ts'
import { type Verified, verifyFile } from './verify-file.ts'

/** Returns the accounts in the published copy with their names. Empty if there is no copy. */
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
 * Replaces the rows of some accounts in the published copy with those of their working files, which must be closed and
 * checkpointed. For a single account, this takes only a copy and a rename. Readers keep the copy that they opened, and
 * the next reader gets the complete new copy.
 * @param prepare updates the tables and definitions of a copy with several accounts to this version
 * @throws WarehouseError if the copy cannot be written; the previous one remains published
 */
export async function publishToFile(
  files: PublishedFiles,
  accounts: readonly bigint[],
  prepare: (connection: DuckDBConnection) => Promise<void>,
): Promise<void> {
  const { published, next } = files
  try {
    const release = await waitForLock(files.publishing)
    try {
      const before = await accountsInFile(files)
      const others = [...before.keys()].filter((account) => !accounts.includes(account))
      const [first, ...rest] = accounts.map((account) => accountFiles(files, account).working)
      // The published copy is verified here, because it becomes the previous copy. If there are no other accounts, no
      // other step reads it.
      if (others.length === 0 && existsSync(published)) await verifyFile(published)
      copyDatabase(others.length > 0 ? published : first!, next)
      const added = others.length > 0 ? [first!, ...rest] : rest
      if (added.length > 0) await merge(next, added, prepare)
      const { generation } = await verifyNext(files, accounts)
      expectGenerations(files, [...(expectedGenerations(files) ?? []), generation])
      await keepPreviousCopy(files)
      replacePublished(files, next)
      expectGenerations(files, [generation])
    } finally {
      release()
    }
  } catch (cause) {
    throw errorWhile('publishing', `The published copy ${published} could not be replaced`, cause)
  }
}

/**
 * Verifies the copy before it is published, by reading it completely. @throws DamagedFile that names the file from
 * which the damage comes
 */
async function verifyNext(files: PublishedFiles, accounts: readonly bigint[]): Promise<Verified> {
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

/** Creates a missing working file from the published copy, so that nothing is read from the service again. */
export async function restoreFromFile(
  files: PublishedFiles,
  { working }: AccountFiles,
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
  const own = new Set(await tablesOfAccounts(connection, 'published'))
  const found = await connection.runAndReadAll(
    "select table_name from duckdb_tables() where database_name = 'published' and schema_name = 'main'",
  )
  for (const [table] of found.getRows() as [string][]) {
    const where = own.has(table) ? `where ${ACCOUNT.name} = ${quoteLiteral(String(accountId))}::bigint` : ''
    await connection.run(
      `create table ${quoteIdentifier(table)} as from published.main.${quoteIdentifier(table)} ${where}`,
    )
  }
  // Comments and views are created when the file is opened.
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
        await connection.run('begin transaction')
        for (const table of tables) {
          // Skips tables that no resource uses any more.
          if (!own.has(table)) continue
          await connection.run(`
            delete from ${quoteIdentifier(table)} where ${ACCOUNT.name} in (select ${ACCOUNT.name} from synced.accounts);
            insert into ${quoteIdentifier(table)} by name select * from synced.main.${quoteIdentifier(table)}`)
        }
        await connection.run('commit')
        await connection.run('detach synced')
      }
      await connection.run('checkpoint')
    })
    flush(next)
  } catch (error) {
    removeDatabase(next)
    throw error
  }
}
