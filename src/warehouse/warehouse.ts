import { chmodSync, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { Kysely } from 'kysely'
import { FaultlineError, WarehouseError } from '../errors.ts'
import type { Resource } from '../resources/resource.ts'
import { createTables } from './create.ts'
import type { Database } from './database.ts'
import { DuckDbDialect } from './dialect.ts'
import { type WarehouseFiles, warehouseFiles } from './files.ts'
import { forgetHolder, noteHolder, readHolder } from './holder.ts'
import { takeLock } from './lock.ts'
import { publish, restoreWorkingFile } from './publish.ts'
import type { Stage } from './stage.ts'
import { type Reading, upsert, type Written } from './upsert.ts'
import { knownRemedy, writeError } from './write-error.ts'

export interface WarehouseOptions {
  /** Memory DuckDB may use, in its own words, such as `512MB`. */
  readonly memoryLimit?: string
  readonly threads?: number
  /** Milliseconds since the epoch, for the note on who holds the file. */
  readonly now?: number
}

/** The one writer of a warehouse. Every open one must be closed; `publish` closes it too. */
export interface Warehouse {
  readonly files: WarehouseFiles
  readonly db: Kysely<Database>
  /** Merges a batch inside the transaction that is open on `db`. */
  upsert(batch: Stage, reading: Reading): Promise<Written>
  /** Closes the working file and makes it the published copy. */
  publish(): Promise<void>
  close(): Promise<void>
}

/** Enough for batches of 10,000 incidents; more makes little difference, and memory stays flat. */
export const MEMORY_LIMIT = '256MB'

/** Files this process writes, or is about to: the operating system's lock only keeps other processes away. */
const openHere = new Set<string>()

/** Write-ahead log that DuckDB may gather before it folds it in: folding in small pieces rewrites much. */
const CHECKPOINT_THRESHOLD = '256MB'

/**
 * Opens the warehouse at `path` for writing, makes what is missing, and keeps everybody else from writing it.
 * @throws WarehouseError when it is locked, cannot be written, is no DuckDB file or was written by a newer program
 */
export async function openWarehouse(
  path: string,
  resources: readonly Resource[],
  options: WarehouseOptions = {},
): Promise<Warehouse> {
  const files = warehouseFiles(path)
  checkFolder(files.published)
  const release = await hold(files)
  try {
    restore(files)
    const instance = await openInstance(files, options)
    const connection = await instance.connect()
    noteHolder(files.holder, options.now ?? Date.now())
    const shut = () => {
      connection.closeSync()
      instance.closeSync()
    }
    try {
      await connection.run(`set TimeZone = 'UTC'`)
      await createTables(connection, resources)
      chmodSync(files.working, 0o600)
    } catch (error) {
      shut()
      throw error instanceof FaultlineError ? error : openError(error, files)
    }
    return warehouseOn(connection, files, { shut, release })
  } catch (error) {
    release()
    throw error
  }
}

/** Keeps everybody else from writing, in this process and in others, until it is released. */
async function hold(files: WarehouseFiles): Promise<() => void> {
  if (openHere.has(files.working)) throw lockedError(files)
  openHere.add(files.working)
  try {
    const unlock = await takeLock(files.lock)
    return () => {
      forgetHolder(files.holder)
      unlock()
      openHere.delete(files.working)
    }
  } catch (cause) {
    openHere.delete(files.working)
    throw openError(cause, files)
  }
}

function warehouseOn(
  connection: DuckDBConnection,
  files: WarehouseFiles,
  { shut, release }: { shut: () => void; release: () => void },
): Warehouse {
  const db = new Kysely<Database>({ dialect: new DuckDbDialect(connection) })
  let closed = false
  /** Closes the file; others may write again when `last` is done. */
  const closeAfter = async (last: () => void) => {
    if (closed) return
    closed = true
    try {
      await db.destroy()
      shut()
      last()
    } finally {
      release()
    }
  }
  return {
    files,
    db,
    upsert: (batch, reading) => upsert(connection, batch, reading),
    close: () => closeAfter(() => {}),
    async publish() {
      await connection.run('checkpoint').catch((cause: unknown) => {
        throw writeError(`Bringing ${files.working} up to date`, cause)
      })
      await closeAfter(() => publish(files))
    },
  }
}

function checkFolder(path: string) {
  const folder = dirname(path)
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new WarehouseError(`There is no folder ${folder} for the warehouse.`, {
      next: 'Create it, or give another path (--warehouse, FAULTLINE_WAREHOUSE or `warehouse` in the config).',
    })
  }
}

function restore(files: WarehouseFiles) {
  try {
    restoreWorkingFile(files)
  } catch (cause) {
    throw openError(cause, files)
  }
}

/** `status` and `sync --plan` look into the file for some milliseconds: a sync that begins just then waits so long. */
const LOOKS_MS = 2_000
const LOOK_AGAIN_MS = 100

async function openInstance(files: WarehouseFiles, options: WarehouseOptions): Promise<DuckDBInstance> {
  for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
    try {
      return await DuckDBInstance.create(files.working, {
        memory_limit: options.memoryLimit ?? MEMORY_LIMIT,
        checkpoint_threshold: CHECKPOINT_THRESHOLD,
        preserve_insertion_order: 'false',
        ...(options.threads === undefined ? {} : { threads: String(options.threads) }),
      })
    } catch (cause) {
      if (!LOCKED.test(withoutPaths(String(cause), files))) throw openError(cause, files)
      if (waitedMs >= LOOKS_MS) throw openElsewhere(cause, files)
    }
    await sleep(LOOK_AGAIN_MS)
  }
}

/** Not by a sync: the lock of those is ours already. */
function openElsewhere(cause: unknown, files: WarehouseFiles): WarehouseError {
  return new WarehouseError(`The warehouse ${files.working} is open in another program.`, {
    cause,
    next: `Close it there: that file belongs to the sync, and ${files.published} is for readers.`,
  })
}

function lockedError(files: WarehouseFiles): WarehouseError {
  const holder = readHolder(files.holder)
  const who = holder ? ` (process ${holder.pid}, since ${holder.since})` : ''
  return new WarehouseError(`Another sync is writing ${files.published}${who}.`, {
    next: 'Wait for it to end, or stop that process: its finished batches are kept.',
  })
}

/** What went wrong when the file was opened, in words that say what to do. */
export function openError(cause: unknown, files: WarehouseFiles): WarehouseError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const kind = withoutPaths(reason, files)
  if (LOCKED.test(kind)) return lockedError(files)
  if (/permission denied|read-only|cannot open file/i.test(kind)) {
    return new WarehouseError(`The warehouse ${files.working} cannot be written.`, {
      cause,
      next: 'Check that this user may write the file and its folder, and that the disk is not read-only.',
    })
  }
  return new WarehouseError(`The warehouse ${files.working} cannot be opened: ${reason}`, {
    cause,
    next:
      knownRemedy(kind) ??
      'If the file is damaged, move it away: the next sync starts from the published copy, or from the service.',
  })
}

const LOCKED = /could not set lock/i

/** The path is part of the reason and may hold any word. */
function withoutPaths(reason: string, files: WarehouseFiles): string {
  return [files.lock, files.working, files.published].reduce(
    (text, path) => text.replaceAll(path, ''),
    reason,
  )
}
