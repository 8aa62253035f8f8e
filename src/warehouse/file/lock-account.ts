import { openError } from '../error-while.ts'
import { isLocked, lockedError, takeLock } from './file-lock.ts'
import { accountFiles, type WarehouseFiles } from './files.ts'

/**
 * Takes the lock of an account, which is held until it is published.
 * @param now milliseconds since the epoch: since when it is held
 * @throws WarehouseError that says who holds it, or why it cannot be written
 */
export async function lockAccount(
  files: WarehouseFiles,
  accountId: bigint,
  now?: number,
): Promise<() => void> {
  const { lock } = accountFiles(files, accountId)
  return takeLock(lock, now).catch(async (cause: unknown) => {
    throw isLocked(cause)
      ? await lockedError(`account ${accountId} of ${files.name}`, lock)
      : openError(cause, lock)
  })
}
