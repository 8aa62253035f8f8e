import { chmodSync } from 'node:fs'
import { type Kysely, sql } from 'kysely'
import type { Resource } from '../resources/resource.ts'
import type { Settings } from '../settings/settings.ts'
import { openError, writeError } from './database-errors.ts'
import { typedOn } from './dialect.ts'
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
  /** All rows of a working file belong to this account. */
  readonly accountId: bigint
  /** For DuckDB, such as `512MB`. */
  readonly memoryLimit?: string | undefined
  /** Another warehouse, whose published data replaces the working file. */
  readonly from?: Published
  /** Written to the tables `config_*`. If undefined, the warehouse keeps its stored settings. */
  readonly settings?: Settings | undefined
}

/** An account's working file, open for writing. Call `publish` or `close` when done. */
export interface Warehouse {
  readonly accountId: bigint
  readonly lease: AccountLease
  readonly published: Published
  readonly files: WarehouseFiles & AccountFiles
  readonly db: Kysely<Database>
  /** Closes the working file and publishes its rows. @throws WarehouseError if publishing fails */
  publish(): Promise<void>
  /** Closes the working file. The account stays leased until `close`. */
  finish(): Promise<void>
  close(): Promise<void>
}

/**
 * Leases an account and opens its working file.
 * @throws WarehouseError if another process leases the account, or the file is not writable or from a newer program
 */
export async function openWarehouse(
  published: Published,
  resources: readonly Resource[],
  options: WarehouseOptions,
): Promise<Warehouse> {
  const { accountId, settings } = options
  const files = { ...published.files, ...accountFiles(published.files, accountId) }
  makeFolder(files)
  const lease = await published.lease(accountId)
  try {
    if (options.from) moveAside(files.working)
    const from = options.from ?? published
    await from.restore(files.working, accountId).catch((cause: unknown) => {
      throw openError(cause, from.name)
    })
    const { connection, db, shut } = await openWorking(files, resources, options)
    let [isFinished, isClosed] = [false, false]
    const warehouse: Warehouse = {
      ...{ accountId, lease, published, files, db },
      async finish() {
        if (isFinished) return
        isFinished = true
        try {
          await noteRows(connection, accountId)
          await published.stamp(connection)
          await connection.run('checkpoint')
        } catch (cause) {
          if (isDamage(cause)) throw new DamagedFile(files.working, cause)
          throw writeError(`Updating ${files.working}`, cause)
        } finally {
          shut()
        }
      },
      async publish() {
        const [failure] = await publishAll([warehouse], resources, settings)
        if (failure !== undefined) throw failure
      },
      async close() {
        if (isClosed) return
        isClosed = true
        if (!isFinished) shut()
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

/** Opens an account's working file. Requires a lease of the account. */
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
  const db = typedOn(connection)
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

/** Publishes and closes accounts of one warehouse. Returns an error for each, or undefined if it was published. */
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
