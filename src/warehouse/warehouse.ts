import { chmodSync } from 'node:fs'
import type { DuckDBConnection } from '@duckdb/node-api'
import { Kysely, sql } from 'kysely'
import type { Resource } from '../resources/resource.ts'
import type { Settings } from '../settings/settings.ts'
import { openError, writeError } from './database-errors.ts'
import { DuckDbDialect } from './dialect.ts'
import { DamagedFile, isDamage } from './file/damage.ts'
import { type AccountFiles, accountFiles, makeFolder, PRIVATE, type WarehouseFiles } from './file/files.ts'
import { moveAside } from './file/logs.ts'
import { openFile } from './file/open-file.ts'
import { noteRows } from './file/verify-file.ts'
import type { AccountLease, Published } from './published.ts'
import { foldReportRuns } from './read/report-runs.ts'
import { createTables } from './schema/create.ts'
import type { Database } from './schema/database.ts'

export interface WarehouseOptions {
  /** The account whose working file it is: all that is written into it belongs to that account. */
  readonly accountId: bigint
  /** Memory DuckDB may use, in its own words, such as `512MB`. */
  readonly memoryLimit?: string | undefined
  /** Milliseconds since the epoch: since when the file is held. */
  readonly now?: number
  /** Starts from what this warehouse published, and puts a working file aside that is there. */
  readonly from?: Published
  /** Settings for the tables `config_*`; without them a warehouse keeps its own. */
  readonly settings?: Settings | undefined
}

/** The one writer of an account. Every open one must be closed; publishing closes it too. */
export interface Warehouse {
  readonly accountId: bigint
  /** While it is not lost, nobody else writes the account. */
  readonly lease: AccountLease
  /** What readers see. */
  readonly published: Published
  readonly files: WarehouseFiles & AccountFiles
  readonly db: Kysely<Database>
  /** Closes the working file and shows its rows to readers. @throws WarehouseError when that is not possible */
  publish(): Promise<void>
  /** Closes the working file for good; the account stays locked until `close`. */
  finish(): Promise<void>
  close(): Promise<void>
}

/**
 * Locks an account, opens its working file and makes the tables it lacks.
 * @param published what readers see
 * @throws WarehouseError when it is locked, cannot be written, is no DuckDB file or was written by a newer program
 */
export async function openWarehouse(
  published: Published,
  resources: readonly Resource[],
  options: WarehouseOptions,
): Promise<Warehouse> {
  const { accountId, settings } = options
  const files = { ...published.files, ...accountFiles(published.files, accountId) }
  makeFolder(files)
  const lease = await published.lease(accountId, options.now)
  try {
    if (options.from) moveAside(files.working)
    const from = options.from ?? published
    await from.restore(files, accountId).catch((cause: unknown) => {
      throw openError(cause, from.name)
    })
    const { connection, db, shut } = await openWorking(files, resources, options)
    let [isFinished, isClosed] = [false, false]
    const end = async () => {
      await db.destroy()
      shut()
    }
    const warehouse: Warehouse = {
      ...{ accountId, lease, published, files, db },
      async finish() {
        if (isFinished) return
        isFinished = true
        try {
          await complete(connection, files.working, published, accountId)
        } finally {
          await end()
        }
      },
      async publish() {
        const [failure] = await publishAll([warehouse], resources, settings)
        if (failure !== undefined) throw failure
      },
      async close() {
        if (isClosed) return
        isClosed = true
        if (!isFinished) await end()
        isFinished = true
        await lease.release()
      },
    }
    return warehouse
  } catch (error) {
    await lease.release()
    throw error
  }
}

/** Opens a working file, and makes the tables it lacks. Its account is held. */
async function openWorking(
  files: WarehouseFiles & AccountFiles,
  resources: readonly Resource[],
  options: WarehouseOptions,
) {
  const { accountId, settings } = options
  const instance = await openFile(files.working, files, options)
  const connection = await instance.connect()
  const shut = () => {
    connection.closeSync()
    instance.closeSync()
  }
  const db = new Kysely<Database>({ dialect: new DuckDbDialect(connection) })
  try {
    await connection.run(`set TimeZone = 'UTC'`)
    await createTables(connection, resources, settings)
    await foldReportRuns(connection, files.reportRuns)
    await sql`insert into accounts (account_id)
      select ${accountId} where ${accountId} not in (select account_id from accounts)`.execute(db)
    chmodSync(files.working, PRIVATE)
    return { connection, db, shut }
  } catch (error) {
    shut()
    if (isDamage(error)) throw new DamagedFile(files.working, error)
    throw openError(error, files.working)
  }
}

/** Brings a working file into the state in which it is published. */
async function complete(
  connection: DuckDBConnection,
  working: string,
  published: Published,
  accountId: bigint,
): Promise<void> {
  try {
    await noteRows(connection, accountId)
    await published.stamp(connection)
    await connection.run('checkpoint')
  } catch (cause) {
    if (isDamage(cause)) throw new DamagedFile(working, cause)
    throw writeError(`Bringing ${working} up to date`, cause)
  }
}

/**
 * Publishes some accounts of a warehouse at once. Closes all of them.
 * @returns for each what went wrong, undefined when readers see it
 */
export async function publishAll(
  warehouses: readonly Warehouse[],
  resources: readonly Resource[],
  settings?: Settings,
): Promise<(unknown | undefined)[]> {
  const failures = new Map<Warehouse, unknown>()
  try {
    for (const one of warehouses) await one.finish().catch((error: unknown) => void failures.set(one, error))
    const finished = warehouses.filter((one) => !failures.has(one))
    const found = (await finished[0]?.published.publish(finished, { resources, settings })) ?? []
    for (const [index, one] of finished.entries())
      if (found[index] !== undefined) failures.set(one, found[index])
  } finally {
    for (const one of warehouses) await one.close()
  }
  return warehouses.map((one) => failures.get(one))
}
