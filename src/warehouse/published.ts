import type { DuckDBConnection } from '@duckdb/node-api'
import type { Resource } from '../resources/resource.ts'
import { openError } from './error-while.ts'
import { type AccountFiles, accountFiles, makeFolder, type WarehouseFiles } from './file/files.ts'
import { isLocked, lockedError, takeLock } from './file/lock.ts'
import { accountsInFile, publishToFile, restoreFromFile } from './file/publish.ts'
import { type Removed, removeFromFiles } from './file/remove.ts'
import { type Lease, leasedError, takeLease } from './lake/lease.ts'
import { publishToLake } from './lake/publish.ts'
import { removeFromLake } from './lake/remove.ts'
import { accountsInLake, restoreFromLake } from './lake/restore.ts'

/** The right to write an account: of one process of this machine, and where there is a lake of all machines. */
interface Hold {
  readonly lease: Lease | undefined
  release(): Promise<void>
}

/** @throws WarehouseError that says who holds the account, or why its lock cannot be written */
export async function holdAccount(
  files: WarehouseFiles & AccountFiles,
  accountId: bigint,
  now: number | undefined,
): Promise<Hold> {
  const { lake, lock } = files
  const unlock = await takeLock(lock, now).catch(async (cause: unknown) => {
    throw isLocked(cause)
      ? await lockedError(`account ${accountId} of ${files.published}`, lock)
      : openError(cause, lock)
  })
  if (lake === undefined) return { lease: undefined, release: async () => unlock() }
  try {
    const lease = await takeLease(lake, accountId)
    if (lease === undefined) throw await leasedError(lake, accountId)
    return {
      lease,
      async release() {
        unlock()
        await lease.release()
      },
    }
  } catch (error) {
    unlock()
    throw error
  }
}

/** The accounts that readers see, with their names; none when nothing was published. */
export function publishedAccounts(files: WarehouseFiles): Promise<Map<bigint, string | null>> {
  return files.lake ? accountsInLake(files.lake) : accountsInFile(files)
}

/** Starts from what was published when the working file is gone, so that nothing is read from the service again. */
export function restoreWorkingFile(files: WarehouseFiles & AccountFiles, accountId: bigint): Promise<void> {
  return files.lake ? restoreFromLake(files.lake, files, accountId) : restoreFromFile(files, files, accountId)
}

/** An account that was read completely; its working file is closed. */
interface Finished {
  readonly accountId: bigint
  readonly lease: Lease | undefined
}

/**
 * Replaces what readers see of some accounts by their last complete rows.
 * @param prepare brings a file of several accounts to the tables and definitions of this program
 * @returns for each what went wrong, undefined when readers see it
 */
export async function publish(
  files: WarehouseFiles,
  finished: readonly Finished[],
  resources: readonly Resource[],
  prepare: (connection: DuckDBConnection) => Promise<void>,
): Promise<(unknown | undefined)[]> {
  if (files.lake) {
    const accounts = finished.map(({ accountId, lease }) => ({
      accountId,
      lease: lease!,
      working: accountFiles(files, accountId).working,
    }))
    return publishToLake(files.lake, accounts, resources, files.reportRuns)
  }
  const some = (accounts: readonly Finished[]) =>
    publishToFile(
      files,
      accounts.map(({ accountId }) => accountId),
      prepare,
    )
  try {
    await some(finished)
    return finished.map(() => undefined)
  } catch (error) {
    if (finished.length === 1) return [error]
  }
  // Each by itself, so that one damaged file keeps no other back.
  const failures: (unknown | undefined)[] = []
  for (const one of finished) {
    failures.push(
      await some([one]).then(
        () => undefined,
        (error: unknown) => error,
      ),
    )
  }
  return failures
}

/**
 * Takes every row of an account out of what readers see, and out of the files of this machine, for good. Another machine of a lake
 * keeps its working file until the same is done there.
 * @throws WarehouseError when a sync writes an account
 */
export async function removeAccount(files: WarehouseFiles, removed: Removed): Promise<void> {
  makeFolder(files)
  if (files.lake) await removeFromLake(files.lake, removed)
  await removeFromFiles(files, removed)
}
