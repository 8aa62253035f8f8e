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

/** How files are to be changed, and by what one is known that need not be. */
export interface Rewriting {
  isNeeded(db: Kysely<Database>): Promise<boolean>
  change(db: Kysely<Database>): Promise<void>
}

/**
 * Changes what is stored, in the working file of every account and then in the published copy, where there is one: so a copy that
 * needs no change says that no file does. Files that need none stay as they are.
 * @throws WarehouseError when another process writes an account, or the disk is full; what was not replaced is as before
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
    // They hold what is to be changed, and nothing needs them as much.
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
    if (!isLocked(cause)) throw writeError(`Writing ${working} anew`, cause)
  })
  if (release === undefined) {
    // Without a published copy it may be another account's first sync; its next `openUnderRules` looks again.
    if (!isPublished) return
    throw await lockedError(`account ${account} of ${files.name}`, lock)
  }
  try {
    if (await needs(working, rewriting)) await rewriteFile(working, files, rewriting)
  } finally {
    release()
  }
}

/** Reads a working file that no process has open. Its log holds batches of its own. */
const onWorking: typeof onClosed = (file, act) =>
  onDatabase(file, { access_mode: 'READ_ONLY' }, (connection) => act(connection, file))

/** Whether a file that no process writes is to be changed. @param on how it is opened: by default as a working file */
export function needs(file: string, { isNeeded }: Rewriting, on = onWorking): Promise<boolean> {
  return on(file, (connection: DuckDBConnection) =>
    isNeeded(new Kysely<Database>({ dialect: new DuckDbDialect(connection) })),
  ).catch((cause: unknown) => {
    if (isDamage(cause)) throw new DamagedFile(file, cause)
    throw writeError(`Looking into ${file}`, cause)
  })
}

/**
 * Changes one closed file and leaves nothing behind of what it held: DuckDB only marks changed blocks as free, so the
 * file is written anew and replaced atomically, by a rename.
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
    // The log of a killed sync. Logs beside the published copy were set aside.
    if (logsOf(file).length > 0) await onDatabase(file, FRUGAL, (connection) => connection.run('checkpoint'))
    copyDatabase(file, changed)
    await onDatabase(changed, FRUGAL, async (connection) => {
      await change(new Kysely<Database>({ dialect: new DuckDbDialect(connection) }))
      await connection.run('checkpoint')
    })
    // Without a file of its own DuckDB would put what does not fit into memory into the folder it was started in.
    await onDatabase(':memory:', { ...FRUGAL, temp_directory: `${fresh}.tmp` }, async (connection) => {
      await connection.run(`attach ${quoteLiteral(changed)} as former (read_only)`)
      await connection.run(`attach ${quoteLiteral(fresh)} as fresh`)
      await connection.run('copy from database former to fresh')
      await connection.run('checkpoint fresh')
      await connection.run('detach fresh')
    })
    // First: it still holds what was changed, and after the rename nothing would ever look for it again.
    remove(changed)
    await verifyFile(fresh)
    replaceDatabase(fresh, file)
  } catch (cause) {
    if (isDamage(cause)) throw new DamagedFile(file, cause)
    throw writeError(`Writing ${file} anew`, cause)
  } finally {
    for (const path of [changed, fresh]) remove(path)
  }
}
