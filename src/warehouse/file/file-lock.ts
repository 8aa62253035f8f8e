import { chmodSync, rmSync, statSync, utimesSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { DuckDBInstance } from '../../definitions/duckdb.ts'
import { WarehouseError } from '../../errors.ts'
import { lockHolderPid, matchesMeaning } from '../../external-errors.ts'
import { openError } from '../database-errors.ts'
import { accountFiles, PRIVATE, type WarehouseFiles } from './files.ts'

/**
 * Locks that this process holds. A lock of the operating system does not keep out the process that holds it. If that
 * process opened the locked file again, it would release the lock.
 */
const heldHere = new Set<string>()

/**
 * Locks `path` until the returned function is called or this process dies. Uses DuckDB to take a lock of the operating
 * system, because Node cannot do so. The lock is on a separate file, because a lock on the working file would be lost
 * when the file is copied.
 * @throws an error if the path is locked (`isLocked`), or if the file cannot be written
 */
export async function takeLock(path: string, now = Date.now()): Promise<() => void> {
  if (heldHere.has(path)) throw new HeldHere(`${path} is held by this process.`)
  heldHere.add(path)
  try {
    const instance = await open(path).catch((cause: unknown) => {
      if (!matchesMeaning(cause, 'notDatabase')) throw cause
      // A dead process left the file half-written. A running process would have prevented reading it.
      rmSync(path)
      return open(path)
    })
    chmodSync(path, PRIVATE)
    utimesSync(path, now / 1_000, now / 1_000)
    return () => {
      instance.closeSync()
      heldHere.delete(path)
    }
  } catch (error) {
    heldHere.delete(path)
    throw error
  }
}

class HeldHere extends Error {}

/** Whether an error means that this or another process holds a lock. */
export function isLocked(cause: unknown): boolean {
  return cause instanceof HeldHere || matchesMeaning(cause, 'locked')
}

interface Holder {
  readonly pid: string | undefined
  readonly since: string
}

/** Returns the process that holds the lock at `path`, if any. For this, opens the file read-only for a moment. */
export async function holderOf(path: string): Promise<Holder | undefined> {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) return undefined
  const since = stat.mtime.toISOString()
  if (heldHere.has(path)) return { pid: String(process.pid), since }
  try {
    const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY', threads: '1' })
    instance.closeSync()
    return undefined
  } catch (cause) {
    return isLocked(cause) ? { pid: lockHolderPid(cause), since } : undefined
  }
}

/** Returns the error that another process is writing `what`, with the id and start of that process and the next step. */
export async function lockedError(what: string, lock: string): Promise<WarehouseError> {
  const { pid = 'unknown', since = 'just now' } = (await holderOf(lock)) ?? {}
  return new WarehouseError(`Another sync is writing ${what} (process ${pid}, since ${since}).`, {
    next: 'Wait for it to end, or stop that process: its finished batches are kept.',
  })
}

/** Interval between attempts to take a short lock, and maximum wait. Copying a large file takes a while. */
const ASK_AGAIN_MS = 100
const MOST_WAIT_MS = 600_000

export async function waitForLock(path: string): Promise<() => void> {
  for (let waitedMs = 0; ; waitedMs += ASK_AGAIN_MS) {
    try {
      return await takeLock(path)
    } catch (cause) {
      if (!isLocked(cause) || waitedMs >= MOST_WAIT_MS) throw cause
    }
    await sleep(ASK_AGAIN_MS)
  }
}

function open(path: string): Promise<DuckDBInstance> {
  return DuckDBInstance.create(path, { threads: '1' })
}

/** Locks an account until it is published. @throws WarehouseError that names the holder, or the reason for the failure */
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
