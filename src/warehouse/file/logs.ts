import { existsSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { renameDurably } from '../../effects.ts'
import { ASIDE, copySafely, makeFolder, type PublishedFiles, renamePrivately } from './files.ts'

/** Endings of DuckDB's write-ahead log, and of its files during a checkpoint. */
const LOG_ENDINGS = ['.wal', '.wal.checkpoint', '.wal.recovery']

/**
 * Returns the logs next to a database. DuckDB applies a log to any database with the matching name, even if it opens
 * the database only for reading.
 */
export function logsOf(file: string): string[] {
  return LOG_ENDINGS.map((ending) => file + ending).filter((log) => existsSync(log))
}

/**
 * Replaces a database, after removing its logs. If the process is killed in between, the old database remains without
 * logs.
 */
export function replaceDatabase(from: string, to: string): void {
  removeLogs(to)
  renamePrivately(from, to)
}

/** Replaces the published copy with a closed database. Sets logs of other programs aside. */
export function replacePublished(files: PublishedFiles, from: string): void {
  setLogsAside(files)
  renamePrivately(from, files.published)
}

/** Copies a closed database, after removing a log that an earlier attempt left at the target. */
export function copyDatabase(from: string, to: string): void {
  removeLogs(to)
  copySafely(from, to)
}

/** Removes a database. Its logs are removed last, because DuckDB ignores them if the database is missing. */
export function removeDatabase(file: string): void {
  rmSync(file, { force: true })
  removeLogs(file)
}

/** Renames a database and its logs. Replaces files that were set aside before. */
export function moveAside(file: string, to = `${file}${ASIDE}`): void {
  for (const kept of [to, ...LOG_ENDINGS.map((ending) => `${file}${ending}${ASIDE}`)])
    rmSync(kept, { force: true })
  if (existsSync(file)) renameSync(file, to)
  for (const log of logsOf(file)) renameSync(log, `${log}${ASIDE}`)
}

/** Moves another program's logs from the published copy to the sync's folder. Returns a sentence about it, if any. */
export function setLogsAside(files: PublishedFiles): string | undefined {
  const logs = logsOf(files.published)
  if (logs.length === 0) return undefined
  makeFolder(files)
  const kept = join(files.folder, 'published.duckdb')
  for (const log of logs) renameDurably(log, `${kept}${log.slice(files.published.length)}${ASIDE}`)
  const names = logs.map((log) => basename(log)).join(', ')
  return `Another program opened ${files.published} for writing and left ${names}. The log was not applied; it is kept in ${files.folder} with the ending ${ASIDE}. Open the published copy read-only.`
}

function removeLogs(file: string): void {
  for (const log of logsOf(file)) rmSync(log, { force: true })
}
