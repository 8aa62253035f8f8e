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
import { DuckDBInstance, onConnection } from '../../definitions/duckdb.ts'
import { isAlive } from '../../effects.ts'
import { lockHolderPid } from '../../external-errors.ts'
import { spillFolder } from '../read/spill.ts'
import { isLocked } from './file-lock.ts'
import { LOOK, syncFolderOf } from './files.ts'
import { logsOf } from './logs.ts'

/** A notice that another program writes, or has written, to a published file. */
export interface ForeignNotice {
  /** Sentences about the changes, with a next step. */
  readonly text: string
  /** Whether the other program still has the file open. */
  readonly isLocked: boolean
}

interface ClosedDatabase {
  readonly instance: DuckDBInstance
  /** The path is invalid after `hide` or `close`. */
  readonly path: string
  readonly notice: ForeignNotice | undefined
  /** Removes the folder with the open file, so that a killed process leaves nothing behind. Does nothing on Windows. */
  hide(): void
  close(): void
}

/**
 * Opens a published database without the changes of other programs. If there is a write-ahead log, opens a hard link in
 * another folder, because DuckDB would apply the log. If another program has the file open, opens a copy.
 */
export async function openClosed(
  file: string,
  options: Readonly<Record<string, string>> = {},
): Promise<ClosedDatabase> {
  const [log] = existsSync(file) ? logsOf(realpathSync(file)) : []
  try {
    if (log === undefined) return await openInPlace(file, options)
    const text = `Another program opened ${file} for writing and left ${log}. The log is ignored: ${file} is read as it was published. The next sync sets the log aside. Open the file read-only.`
    return await openElsewhere(file, options, linkFile, { text, isLocked: false })
  } catch (cause) {
    if (!isLocked(cause)) throw cause
    const pid = lockHolderPid(cause)
    const text = `Another program${pid === undefined ? '' : ` (process ${pid})`} has ${file} open for writing. A copy of the file is read meanwhile, and a sync sets that program's log aside. Open the file read-only there.`
    return openElsewhere(file, options, copyFile, { text, isLocked: true })
  }
}

export async function foreignNotice(file: string): Promise<ForeignNotice | undefined> {
  const opened = existsSync(file) ? await openClosed(file).catch(() => undefined) : undefined
  opened?.close()
  return opened?.notice
}

/** Opens a published database like `openClosed`, and runs `act` in UTC. */
export async function onClosed<Result>(
  file: string,
  act: (connection: DuckDBConnection, path: string) => Promise<Result>,
  options?: Readonly<Record<string, string>>,
): Promise<Result> {
  const { instance, path, close } = await openClosed(file, options)
  return onConnection(instance, async (connection) => {
    await connection.run(`set TimeZone = 'UTC'`)
    return act(connection, path)
  }).finally(close)
}

/** Opens a database for reading. DuckDB applies an existing write-ahead log. */
export async function openInPlace(
  path: string,
  options: Readonly<Record<string, string>>,
): Promise<ClosedDatabase> {
  const instance = await DuckDBInstance.create(path, { ...options, access_mode: 'READ_ONLY' })
  return { instance, path, notice: undefined, hide() {}, close: () => instance.closeSync() }
}

/**
 * Opens the file in another folder, where `put` creates a link or copy. Keeps the file name, because DuckDB derives the
 * name of the database from it.
 */
async function openElsewhere(
  file: string,
  options: Readonly<Record<string, string>>,
  put: (from: string, to: string) => void,
  notice: ForeignNotice,
): Promise<ClosedDatabase> {
  const folder = lookFolder(file)
  const path = join(folder.path, basename(file))
  try {
    put(realpathSync(file), path)
    const { instance } = await openInPlace(path, options)
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

/**
 * Returns the folder for links and copies: in the sync's folder, or in the system's temporary folder if this user
 * cannot write to the sync's folder.
 */
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
    // A hard link is impossible to another disk, on some file systems, and to another user's file, so the file is
    // copied.
    copyFile(from, to)
  }
}

function copyFile(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_FICLONE)
}
