import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * Everything a run takes from the outside world besides the network and the disk.
 * Production code uses `realEffects()`; tests pass their own object, and nothing is ever patched.
 */
export interface Effects {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Milliseconds since an arbitrary moment, with fractions. Monotonic: setting the clock does not change it. */
  elapsed(): number
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** A number in [0, 1). */
  random(): number
  log: Log
}

/** Structured log: a message and its fields. Secrets are removed by the sink, by value. */
export interface Log {
  debug(message: string, facts?: Record<string, unknown>): void
  info(message: string, facts?: Record<string, unknown>): void
  warn(message: string, facts?: Record<string, unknown>): void
}

/** A log that drops everything. */
export const silent: Log = { debug() {}, info() {}, warn() {} }

/** The real clock, timers and randomness, with the log given (default: silent). */
export function realEffects(log: Log = silent): Effects {
  return { now: Date.now, elapsed: () => performance.now(), random: Math.random, log, sleep }
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const timer = setTimeout(done, ms)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    function done() {
      signal?.removeEventListener('abort', stop)
      resolve()
    }
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/**
 * Writes a file atomically: beside it first, then by rename, so that a failure or a power cut leaves the previous one as it
 * was. Creates the folder if missing. Returns the path; throws the file system's error. `mode` is less the umask.
 */
export function replaceFile(path: string, text: string, mode = 0o666): string {
  mkdirSync(dirname(path), { recursive: true })
  sweepParts(path)
  const temporary = `${path}.${process.pid}.part`
  try {
    writeFileSync(temporary, text, { mode })
    renameDurably(temporary, path)
  } catch (cause) {
    rmSync(temporary, { force: true })
    throw cause
  }
  return path
}

/** Renames a closed file so that after a power cut its new name has all of it, or what had that name before. */
export function renameDurably(from: string, to: string): void {
  flush(from)
  renameSync(from, to)
  // The name is in the folder; Windows has no call for that.
  if (process.platform !== 'win32') flush(dirname(to))
}

/** Waits until what was written to a file, or which names a folder has, is on the disk. */
export function flush(path: string): void {
  const handle = openSync(path, process.platform === 'win32' ? 'r+' : 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Removes what processes left that were killed while they replaced the file. */
function sweepParts(path: string): void {
  const prefix = `${basename(path)}.`
  for (const name of readdirSync(dirname(path))) {
    const pid = name.startsWith(prefix) ? /^(\d+)\.part$/.exec(name.slice(prefix.length))?.[1] : undefined
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(dirname(path), name), { force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
