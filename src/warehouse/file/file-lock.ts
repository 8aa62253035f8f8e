import { chmodSync, rmSync, statSync, utimesSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { DuckDBInstance } from '../../definitions/duckdb.ts'
import { WarehouseError } from '../../errors.ts'
import { lockHolderPid, matchesMeaning } from '../../external-errors.ts'
import { openError } from '../database-errors.ts'
import { accountFiles, PRIVATE, type WarehouseFiles } from './files.ts'

/** Locks of this process: the operating system's only keep other processes away, and opening one again would free it. */
const heldHere = new Set<string>()

/**
 * Takes the lock at `path` until the function it returns is called, or this process dies. It is the operating system's
 * lock on a file of its own, taken by DuckDB, since Node has no call for it; a copy of the working file would lose its lock.
 * @param now milliseconds since the epoch: since when it is held
 * @throws an error when it is held (`isLocked`), or the file cannot be written
 */
export async function takeLock(path: string, now = Date.now()): Promise<() => void> {
  if (heldHere.has(path)) throw new HeldHere(`${path} is held by this process.`)
  heldHere.add(path)
  try {
    const instance = await open(path).catch((cause: unknown) => {
      if (!matchesMeaning(cause, 'notDatabase')) throw cause
      // A stale lock: half written by a dead process; a live one would have kept us from reading it.
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

/** This process holds a lock already. */
class HeldHere extends Error {}

/** Whether an error of DuckDB says that another process holds a lock, or this one does. */
export function isLocked(cause: unknown): boolean {
  return cause instanceof HeldHere || matchesMeaning(cause, 'locked')
}

interface Holder {
  readonly pid: string | undefined
  /** ISO time. */
  readonly since: string
}

/** The process that holds the lock at `path`, if any. The file is opened read-only for a moment. */
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

/** Another process is writing `what`: which one, since when, and what to do. */
export async function lockedError(what: string, lock: string): Promise<WarehouseError> {
  const { pid = 'unknown', since = 'just now' } = (await holderOf(lock)) ?? {}
  return new WarehouseError(`Another sync is writing ${what} (process ${pid}, since ${since}).`, {
    next: 'Wait for it to end, or stop that process: its finished batches are kept.',
  })
}

/** A short lock is asked for again so often, and for so long: copying a large file takes a while. */
const ASK_AGAIN_MS = 100
const MOST_WAIT_MS = 600_000

/** Takes a lock that is held for moments only, as soon as it is free. */
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
