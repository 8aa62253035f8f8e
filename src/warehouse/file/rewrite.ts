import { existsSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Kysely } from 'kysely'
import { onDatabase } from '../../definitions/duckdb.ts'
import { quoteLiteral } from '../../definitions/quote.ts'
import { writeError } from '../database-errors.ts'
import { typedOn } from '../dialect.ts'
import type { Database } from '../schema/database.ts'
import { DamagedFile, isDamage } from './damage.ts'
import { isLocked, lockedError, takeLock, whileLocked } from './file-lock.ts'
import { accountFiles, keptFiles, makeFolder, type WarehouseFiles, workingAccounts } from './files.ts'
import { copyDatabase, logsOf, removeDatabase, replaceDatabase, setLogsAside } from './logs.ts'
import { WRITING } from './open-file.ts'
import { onClosed } from './read-closed.ts'
import { verifyFile } from './verify-file.ts'

const FRUGAL = { memory_limit: WRITING.memory_limit, preserve_insertion_order: 'false' }

export interface Rewriting {
  isNeeded(db: Kysely<Database>): Promise<boolean>
  change(db: Kysely<Database>): Promise<void>
}

/**
 * Changes the rows in the working files, and in the published copy last. If the published copy needs no change, all
 * working files were changed before, and nothing is done.
 * @throws WarehouseError if another process writes an account, or the disk is full. Some files are then unchanged
 */
export async function rewriteFiles(
  files: WarehouseFiles & { readonly published?: string },
  rewriting: Rewriting,
): Promise<void> {
  const published = files.published !== undefined && existsSync(files.published) ? files.published : undefined
  if (published !== undefined && !(await needs(published, rewriting, onClosed))) return
  makeFolder(files)
  await whileLocked(files.publishing, async () => {
    // Removes copies with earlier data, because they contain the old values.
    if (published !== undefined) setLogsAside({ ...files, published })
    for (const kept of keptFiles(files)) rmSync(kept, { recursive: true, force: true })
    for (const account of workingAccounts(files))
      await rewriteAccount(files, account, published !== undefined, rewriting)
    if (published !== undefined) await rewriteFile(published, files, rewriting)
  })
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
    // Nothing was published, so the lock may belong to the first sync, which uses the new rules. If the lock belongs to
    // another process, `openUnderRules` rewrites the file later.
    if (!isPublished) return
    throw await lockedError(`account ${account} of ${files.name}`, lock)
  }
  try {
    if (await needs(working, rewriting)) await rewriteFile(working, files, rewriting)
  } finally {
    release()
  }
}

/** Opens a working file for reading, including its log. No process may write the file meanwhile. */
const onWorking: typeof onClosed = (file, act) =>
  onDatabase(file, { access_mode: 'READ_ONLY' }, (connection) => act(connection, file))

/**
 * Whether a file must be rewritten. No process may write the file meanwhile. @param on opens the file (default: as a
 * working file)
 */
export function needs(file: string, { isNeeded }: Rewriting, on = onWorking): Promise<boolean> {
  return on(file, (connection) => isNeeded(typedOn(connection))).catch((cause: unknown) => {
    if (isDamage(cause)) throw new DamagedFile(file, cause)
    throw writeError(`Checking ${file}`, cause)
  })
}

/**
 * Replaces a file with a rewritten one. Writes a new file, because DuckDB does not overwrite deleted values in the old
 * one.
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
    // Applies the log of a killed sync. Logs of other programs were set aside before.
    if (logsOf(file).length > 0) await onDatabase(file, FRUGAL, (connection) => connection.run('checkpoint'))
    copyDatabase(file, changed)
    await onDatabase(changed, FRUGAL, async (connection) => {
      await change(typedOn(connection))
      await connection.run('checkpoint')
    })
    // Without this folder, an in-memory DuckDB would write temporary data to the current directory.
    await onDatabase(':memory:', { ...FRUGAL, temp_directory: `${fresh}.tmp` }, async (connection) => {
      await connection.run(`attach ${quoteLiteral(changed)} as former (read_only)`)
      await connection.run(`attach ${quoteLiteral(fresh)} as fresh`)
      await connection.run('copy from database former to fresh')
      await connection.run('checkpoint fresh')
      await connection.run('detach fresh')
    })
    // Removes this file first, because it contains the old values. If the process died after the rename, nothing would
    // remove the file.
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
