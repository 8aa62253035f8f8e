import { existsSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { renameDurably } from '../../effects.ts'
import { ASIDE, copySafely, makeFolder, type PublishedFiles, renamePrivately } from './files.ts'

/** Endings of DuckDB's write-ahead log, and of its temporary files during a checkpoint. */
const LOG_ENDINGS = ['.wal', '.wal.checkpoint', '.wal.recovery']

/**
 * Returns the existing write-ahead logs of a database. DuckDB applies them when it opens the database, even for
 * reading.
 */
export function logsOf(file: string): string[] {
  return LOG_ENDINGS.map((ending) => file + ending).filter((log) => existsSync(log))
}

/** Replaces a database. Removes the logs of the old database first, because DuckDB would apply them to the new one. */
export function replaceDatabase(from: string, to: string): void {
  removeLogs(to)
  renamePrivately(from, to)
}

/**
 * Replaces the published copy with a closed database. Moves write-ahead logs that other programs left there to the
 * sync's folder.
 */
export function replacePublished(files: PublishedFiles, from: string): void {
  setLogsAside(files)
  renamePrivately(from, files.published)
}

/** Copies a closed database. Removes logs that an earlier attempt may have left at the target. */
export function copyDatabase(from: string, to: string): void {
  removeLogs(to)
  copySafely(from, to)
}

/** Removes a database. Removes the logs last, because DuckDB ignores logs without a database. */
export function removeDatabase(file: string): void {
  rmSync(file, { force: true })
  removeLogs(file)
}

/** Renames a database and its logs, so that these files are kept but no longer used. Replaces files kept earlier. */
export function moveAside(file: string, to = `${file}${ASIDE}`): void {
  for (const kept of [to, ...LOG_ENDINGS.map((ending) => `${file}${ending}${ASIDE}`)])
    rmSync(kept, { force: true })
  if (existsSync(file)) renameSync(file, to)
  for (const log of logsOf(file)) renameSync(log, `${log}${ASIDE}`)
}

/** Moves another program's logs to the sync's folder. Returns a sentence about them, or undefined without logs. */
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
