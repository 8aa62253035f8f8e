import { chmodSync, rmSync, statSync, utimesSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { DuckDBInstance } from '../../definitions/duckdb.ts'
import { WarehouseError } from '../../errors.ts'
import { lockHolderPid, matchesMeaning } from '../../external-errors.ts'
import { openError } from '../database-errors.ts'
import { accountFiles, PRIVATE, type WarehouseFiles } from './files.ts'

/**
 * Paths of the locks that this process holds. Without this list, the operating system would let the same process take a
 * lock twice, and opening the locked file a second time would release the lock.
 */
const heldHere = new Set<string>()

/**
 * Locks `path` until the returned function is called or this process dies. Uses DuckDB, because Node cannot lock files.
 * The lock is a separate file, because copying a locked working file would release its lock.
 * @throws an error that `isLocked` recognizes if the lock is held
 */
export async function takeLock(path: string): Promise<() => void> {
  if (heldHere.has(path)) throw new HeldHere(`${path} is held by this process.`)
  heldHere.add(path)
  try {
    const instance = await open(path).catch((cause: unknown) => {
      if (!matchesMeaning(cause, 'notDatabase')) throw cause
      // A process died while it created this file. A process that is still running would have locked the file.
      rmSync(path)
      return open(path)
    })
    chmodSync(path, PRIVATE)
    utimesSync(path, new Date(), new Date())
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

/** Whether this or another process holds a lock. */
export function isLocked(cause: unknown): boolean {
  return cause instanceof HeldHere || matchesMeaning(cause, 'locked')
}

/** Returns the process that holds the lock at `path`, or undefined if the lock is free. */
export async function holderOf(
  path: string,
): Promise<{ readonly pid: string | undefined; readonly since: string } | undefined> {
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

export async function lockedError(what: string, lock: string): Promise<WarehouseError> {
  const { pid = 'unknown', since = 'just now' } = (await holderOf(lock)) ?? {}
  return new WarehouseError(`Another sync is writing ${what} (process ${pid}, since ${since}).`, {
    next: 'Wait for it to end, or stop that process: its finished batches are kept.',
  })
}

/** Milliseconds between attempts to take a lock, and in total. A holder may need minutes to copy a large file. */
const ASK_AGAIN_MS = 100
const MOST_WAIT_MS = 600_000

export async function whileLocked<Result>(path: string, act: () => Promise<Result>): Promise<Result> {
  const release = await repeatWhileLocked(MOST_WAIT_MS, () => takeLock(path))
  return act().finally(release)
}

/** Repeats `act` for at most `mostMs` while a file is locked. */
export async function repeatWhileLocked<Result>(mostMs: number, act: () => Promise<Result>): Promise<Result> {
  for (let waitedMs = 0; ; waitedMs += ASK_AGAIN_MS) {
    try {
      return await act()
    } catch (cause) {
      if (!isLocked(cause) || waitedMs >= mostMs) throw cause
    }
    await sleep(ASK_AGAIN_MS)
  }
}

function open(path: string): Promise<DuckDBInstance> {
  return DuckDBInstance.create(path, { threads: '1' })
}

/** @throws WarehouseError that names the holder of the lock, or the reason why locking failed */
export async function lockAccount(files: WarehouseFiles, accountId: bigint): Promise<() => void> {
  const { lock } = accountFiles(files, accountId)
  return takeLock(lock).catch(async (cause: unknown) => {
    throw isLocked(cause)
      ? await lockedError(`account ${accountId} of ${files.name}`, lock)
      : openError(cause, lock)
  })
}
