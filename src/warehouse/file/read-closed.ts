import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { DuckDBInstance } from '../../definitions/duckdb.ts'
import { isAlive } from '../../effects.ts'
import { lockHolderPid } from '../../external-errors.ts'
import { spillFolder } from '../read/spill.ts'
import { isLocked } from './file-lock.ts'
import { LOOK, syncFolderOf } from './files.ts'
import { logsOf } from './logs.ts'
import { onInstance } from './open-file.ts'

/** Changes that another program made to a database, and the next step, in sentences. */
export interface ForeignNotice {
  readonly text: string
  /** Whether that program has the database open now. */
  readonly isLocked: boolean
}

/** A database that only publishing writes, open for reading. */
interface ClosedDatabase {
  readonly instance: DuckDBInstance
  /** Path of the open file, until `hide` or `close`. */
  readonly path: string
  /** Undefined if it was opened in place. */
  readonly notice: ForeignNotice | undefined
  /**
   * Removes the name of a link or copy that stays open. A killed process then leaves no file. Does nothing on Windows,
   * where that is impossible.
   */
  hide(): void
  close(): void
}

/**
 * Opens a published database as it was published. If there is a log next to it, that is from another program. The
 * database is then opened without the log, through a hard link elsewhere. While another program has the database open
 * for writing, a copy is read.
 */
export async function openClosed(
  file: string,
  options: Readonly<Record<string, string>> = {},
): Promise<ClosedDatabase> {
  const open = (path: string) => DuckDBInstance.create(path, { ...options, access_mode: 'READ_ONLY' })
  const [log] = existsSync(file) ? logsOf(realpathSync(file)) : []
  try {
    if (log === undefined) return inPlace(file, await open(file))
    return await openElsewhere(file, open, linkFile, { text: logNotice(file, log), isLocked: false })
  } catch (cause) {
    if (!isLocked(cause)) throw cause
    return openElsewhere(file, open, copyFile, { text: lockNotice(file, cause), isLocked: true })
  }
}

/**
 * Describes changes that another program made to a published copy. Undefined if there are none, or if the copy cannot be
 * opened.
 */
export async function foreignNotice(file: string): Promise<ForeignNotice | undefined> {
  const opened = existsSync(file) ? await openClosed(file).catch(() => undefined) : undefined
  opened?.close()
  return opened?.notice
}

/** Runs `act` on a database that is opened like in `openClosed`, in UTC, and closes it. */
export async function onClosed<Result>(
  file: string,
  act: (connection: DuckDBConnection, path: string) => Promise<Result>,
  options?: Readonly<Record<string, string>>,
): Promise<Result> {
  const { instance, path, close } = await openClosed(file, options)
  return onInstance(instance, (connection) => act(connection, path), close)
}

function inPlace(path: string, instance: DuckDBInstance): ClosedDatabase {
  return { instance, path, notice: undefined, hide() {}, close: () => instance.closeSync() }
}

/** Opens a database in another folder. Its file name stays the same, because DuckDB names the catalog after it. */
async function openElsewhere(
  file: string,
  open: (path: string) => Promise<DuckDBInstance>,
  put: (from: string, to: string) => void,
  notice: ForeignNotice,
): Promise<ClosedDatabase> {
  const folder = lookFolder(file)
  const path = join(folder.path, basename(file))
  try {
    put(realpathSync(file), path)
    const instance = await open(path)
    const hide = process.platform === 'win32' ? () => {} : folder.remove
    const close = () => {
      instance.closeSync()
      folder.remove()
    }
    return { instance, path, notice, hide, close }
  } catch (error) {
    folder.remove()
    throw error
  }
}

/** Creates a private folder on the disk of the database, or a temporary folder if this user cannot create one there. */
function lookFolder(file: string): { readonly path: string; remove(): void } {
  const folder = syncFolderOf(realpathSync(file))
  try {
    sweepLooks(folder)
    const path = mkdtempSync(join(folder, `${LOOK}${process.pid}-`))
    return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
  } catch {
    const { path, remove } = spillFolder()
    if (path === undefined) throw new Error('no temporary folder can be written (TMPDIR)')
    return { path, remove }
  }
}

function sweepLooks(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = name.startsWith(LOOK) ? Number.parseInt(name.slice(LOOK.length), 10) : Number.NaN
    if (!Number.isNaN(pid) && !isAlive(pid)) rmSync(join(folder, name), { recursive: true, force: true })
  }
}

function linkFile(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    // Copies the file if a hard link is impossible, because the file is on another disk, belongs to another user, or
    // its disk has no hard links.
    copyFile(from, to)
  }
}

function copyFile(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_FICLONE)
}

function logNotice(file: string, log: string): string {
  return `Another program opened ${file} for writing and left ${log}. The log is ignored: ${file} is read as it was published. The next sync sets the log aside. Open the file read-only.`
}

function lockNotice(file: string, cause: unknown): string {
  const pid = lockHolderPid(cause)
  return `Another program${pid === undefined ? '' : ` (process ${pid})`} has ${file} open for writing. A copy of the file is read meanwhile, and a sync sets that program's log aside. Open the file read-only there.`
}
