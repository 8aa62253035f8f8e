import { chmodSync, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { Kysely } from 'kysely'
import { FaultlineError, WarehouseError } from '../errors.ts'
import type { Resource } from '../resources/resource.ts'
import type { Settings } from '../settings.ts'
import { createTables } from './create.ts'
import type { Database } from './database.ts'
import { DuckDbDialect } from './dialect.ts'
import { type WarehouseFiles, warehouseFiles } from './files.ts'
import { holdBack } from './hold-back.ts'
import { forgetHolder, noteHolder } from './holder.ts'
import { takeLock } from './lock.ts'
import { lockedError, openError, openFile } from './open-file.ts'
import { keepPrivate } from './private.ts'
import { publish, restoreWorkingFile } from './publish.ts'
import { foldReportRuns } from './report-runs.ts'
import type { Stage } from './stage/stage.ts'
import { createStageFunctions } from './stage/stage-functions.ts'
import { type Reading, upsert, type Written } from './upsert.ts'
import { writeError } from './write-error.ts'

export interface WarehouseOptions {
  /** Memory DuckDB may use, in its own words, such as `512MB`. */
  readonly memoryLimit?: string
  /** The account of the run that opens it: the owner of what an older file holds, where that does not say. */
  readonly accountId?: bigint
  /** Milliseconds since the epoch, for the note on who holds the file. */
  readonly now?: number
  /** What figures are judged by; a warehouse that is opened without keeps what it has. */
  readonly settings?: Settings
}

/** The one writer of a warehouse. Every open one must be closed; `publish` closes it too. */
export interface Warehouse {
  readonly files: WarehouseFiles
  readonly db: Kysely<Database>
  /** Merges a batch inside the transaction that is open on `db`. */
  upsert(batch: Stage, reading: Reading): Promise<Written>
  /**
   * Closes the working file and makes it the published copy, but for the accounts held back: of those readers keep
   * what they had.
   */
  publish(heldBack?: readonly bigint[]): Promise<void>
  close(): Promise<void>
}

/** Files this process writes, or is about to: the operating system's lock only keeps other processes away. */
const openHere = new Set<string>()

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
    const instance = await openFile(files, options)
    const connection = await instance.connect()
    noteHolder(files.holder, options.now ?? Date.now())
    const shut = () => {
      connection.closeSync()
      instance.closeSync()
    }
    try {
      await connection.run(`set TimeZone = 'UTC'`)
      await createTables(connection, resources, options.accountId, options.settings)
      createStageFunctions(connection, resources)
      await foldReportRuns(connection, files.reportRuns)
      chmodSync(files.working, 0o600)
    } catch (error) {
      shut()
      throw error instanceof FaultlineError ? error : openError(error, files)
    }
    return warehouseOn(connection, files, { resources, shut, release })
  } catch (error) {
    release()
    throw error
  }
}

/** Keeps everybody else from writing, in this process and in others, until it is released. */
async function hold(files: WarehouseFiles): Promise<() => void> {
  if (openHere.has(files.working)) throw lockedError(files)
  openHere.add(files.working)
  const letOthersRead = keepPrivate()
  try {
    const unlock = await takeLock(files.lock)
    return () => {
      forgetHolder(files.holder)
      unlock()
      letOthersRead()
      openHere.delete(files.working)
    }
  } catch (cause) {
    letOthersRead()
    openHere.delete(files.working)
    throw openError(cause, files)
  }
}

function warehouseOn(
  connection: DuckDBConnection,
  files: WarehouseFiles,
  { resources, shut, release }: { resources: readonly Resource[]; shut: () => void; release: () => void },
): Warehouse {
  const db = new Kysely<Database>({ dialect: new DuckDbDialect(connection) })
  let closed = false
  /** Closes the file; others may write again when `last` is done. */
  const closeAfter = async (last: () => void | Promise<void>) => {
    if (closed) return
    closed = true
    try {
      await db.destroy()
      shut()
      await last()
    } finally {
      release()
    }
  }
  return {
    files,
    db,
    upsert: (batch, reading) => upsert(connection, batch, reading),
    close: () => closeAfter(() => {}),
    async publish(heldBack = []) {
      await connection.run('checkpoint').catch((cause: unknown) => {
        throw writeError(`Bringing ${files.working} up to date`, cause)
      })
      const change = (path: string) => holdBack(path, files.published, resources, heldBack)
      await closeAfter(() => publish(files, heldBack.length > 0 ? change : undefined))
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
