import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

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
 * Writes a file atomically: beside it first, then by rename, so that a failure leaves the previous one as it was.
 * Creates the folder if missing. Returns the path; throws the file system's error.
 */
export function replaceFile(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true })
  const temporary = `${path}.${process.pid}.part`
  try {
    writeFileSync(temporary, text, { flush: true })
    renameSync(temporary, path)
  } catch (cause) {
    rmSync(temporary, { force: true })
    throw cause
  }
  return path
}
