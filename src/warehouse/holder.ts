import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { PRIVATE } from './private.ts'

/**
 * Who writes the warehouse, and since when: for people to read. The lock itself is the operating system's, taken
 * by DuckDB on the file, so it can neither be forgotten by a killed process nor block after one.
 */
export interface Holder {
  readonly pid: number
  /** ISO time. */
  readonly since: string
}

/** Notes this process as the holder. Failing to is no reason to stop: the lock does not depend on it. */
export function noteHolder(path: string, now: number): void {
  try {
    // One left behind by a killed process would keep its mode.
    rmSync(path, { force: true })
    writeFileSync(path, JSON.stringify({ pid: process.pid, since: new Date(now).toISOString() }), {
      mode: PRIVATE,
    })
  } catch {}
}

/** The holder last noted, if the note can be read. */
export function readHolder(path: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Holder
  } catch {
    return undefined
  }
}

/** Takes the note away. */
export function forgetHolder(path: string): void {
  rmSync(path, { force: true })
}
