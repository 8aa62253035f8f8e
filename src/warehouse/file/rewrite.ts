import { existsSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { Kysely } from 'kysely'
import { quoteLiteral } from '../../definitions/quote.ts'
import { writeError } from '../database-errors.ts'
import { DuckDbDialect } from '../dialect.ts'
import type { Database } from '../schema/database.ts'
import { DamagedFile, isDamage } from './damage.ts'
import { isLocked, lockedError, takeLock, waitForLock } from './file-lock.ts'
import { accountFiles, keptFiles, makeFolder, type WarehouseFiles, workingAccounts } from './files.ts'
import { copyDatabase, logsOf, removeDatabase, replaceDatabase, setLogsAside } from './logs.ts'
import { onDatabase, WRITING } from './open-file.ts'
import { onClosed } from './read-closed.ts'
import { verifyFile } from './verify-file.ts'

const FRUGAL = { memory_limit: WRITING.memory_limit, preserve_insertion_order: 'false' }

/** A change of files, and a test for whether a file needs the change. */
export interface Rewriting {
  isNeeded(db: Kysely<Database>): Promise<boolean>
  change(db: Kysely<Database>): Promise<void>
}

/**
 * Changes the working files and then the published copy, if it exists. The published copy is changed last. If it needs
 * no change, neither does any other file.
 * @throws WarehouseError if another process writes an account, or the disk is full; files not yet replaced are
 * unchanged
 */
export async function rewriteFiles(
  files: WarehouseFiles & { readonly published?: string },
  rewriting: Rewriting,
): Promise<void> {
  const published = files.published !== undefined && existsSync(files.published) ? files.published : undefined
  if (published !== undefined && !(await needs(published, rewriting, onClosed))) return
  makeFolder(files)
  const release = await waitForLock(files.publishing)
  try {
    // Reserve copies contain the old values and are not needed any more.
    if (published !== undefined) setLogsAside({ ...files, published })
    for (const kept of keptFiles(files)) rmSync(kept, { recursive: true, force: true })
    for (const account of workingAccounts(files))
      await rewriteAccount(files, account, published !== undefined, rewriting)
    if (published !== undefined) await rewriteFile(published, files, rewriting)
  } finally {
    release()
  }
}

async function rewriteAccount(
  files: WarehouseFiles,
  account: bigint,
  isPublished: boolean,
  rewriting: Rewriting,
): Promise<void> {
  const { working, lock } = accountFiles(files, account)
  const release = await takeLock(lock).catch((cause: unknown) => {
    if (!isLocked(cause)) throw writeError(`Rewriting ${working}`, cause)
  })
  if (release === undefined) {
    // Without a published copy, this might be the first sync of another account. The next `openUnderRules` of that
    // account checks again.
    if (!isPublished) return
    throw await lockedError(`account ${account} of ${files.name}`, lock)
  }
  try {
    if (await needs(working, rewriting)) await rewriteFile(working, files, rewriting)
  } finally {
    release()
  }
}

/** Runs a function on a working file that no process has open. Its log is kept, because it contains the file's own batches. */
const onWorking: typeof onClosed = (file, act) =>
  onDatabase(file, { access_mode: 'READ_ONLY' }, (connection) => act(connection, file))

/** Whether a file that no process writes needs the change. @param on opens the file (default: as a working file) */
export function needs(file: string, { isNeeded }: Rewriting, on = onWorking): Promise<boolean> {
  return on(file, (connection: DuckDBConnection) =>
    isNeeded(new Kysely<Database>({ dialect: new DuckDbDialect(connection) })),
  ).catch((cause: unknown) => {
    if (isDamage(cause)) throw new DamagedFile(file, cause)
    throw writeError(`Checking ${file}`, cause)
  })
}

/**
 * Changes one closed file and leaves no trace of the old values. DuckDB only marks old blocks as free, so the file is written
 * anew and replaced by a rename.
 */
export async function rewriteFile(
  file: string,
  { folder }: Pick<WarehouseFiles, 'folder'>,
  { change }: Pick<Rewriting, 'change'>,
): Promise<void> {
  const [changed, fresh] = ['changed', 'fresh'].map((end) => join(folder, `${basename(file)}.${end}`)) as [
    string,
    string,
  ]
  const remove = (path: string) => {
    removeDatabase(path)
    rmSync(`${path}.tmp`, { recursive: true, force: true })
  }
  try {
    for (const path of [changed, fresh]) remove(path)
    // Applies the log of a killed sync. Logs next to the published copy were already set aside.
    if (logsOf(file).length > 0) await onDatabase(file, FRUGAL, (connection) => connection.run('checkpoint'))
    copyDatabase(file, changed)
    await onDatabase(changed, FRUGAL, async (connection) => {
      await change(new Kysely<Database>({ dialect: new DuckDbDialect(connection) }))
      await connection.run('checkpoint')
    })
    // Without its own temporary folder, an in-memory DuckDB would spill into the current directory.
    await onDatabase(':memory:', { ...FRUGAL, temp_directory: `${fresh}.tmp` }, async (connection) => {
      await connection.run(`attach ${quoteLiteral(changed)} as former (read_only)`)
      await connection.run(`attach ${quoteLiteral(fresh)} as fresh`)
      await connection.run('copy from database former to fresh')
      await connection.run('checkpoint fresh')
      await connection.run('detach fresh')
    })
    // This file is removed first. It contains the old values, and nothing would find it after the rename.
    remove(changed)
    await verifyFile(fresh)
    replaceDatabase(fresh, file)
  } catch (cause) {
    if (isDamage(cause)) throw new DamagedFile(file, cause)
    throw writeError(`Rewriting ${file}`, cause)
  } finally {
    for (const path of [changed, fresh]) remove(path)
  }
}
