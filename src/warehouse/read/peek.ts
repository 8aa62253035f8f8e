import { existsSync } from 'node:fs'
import { Kysely } from 'kysely'
import type { Lake, Place } from '../../config/lake.ts'
import type { Resource } from '../../resources/resource.ts'
import { DuckDbDialect } from '../dialect.ts'
import { openError } from '../error-while.ts'
import { accountFiles, NoWarehouse, warehouseFiles } from '../file/files.ts'
import { isLocked, lockedError } from '../file/lock.ts'
import { onDatabase } from '../file/open-file.ts'
import { connectToLake, openLakeForReading } from '../lake/read.ts'
import { createTables } from '../schema/create.ts'
import type { Database } from '../schema/database.ts'
import { missingTables } from './present.ts'

/**
 * Looks at what the sync of an account would start from, without writing: its working file, else the published copy,
 * which may hold other accounts too, else an empty warehouse in memory. What an older file lacks of the tables of today
 * looks empty.
 * @throws WarehouseError when a sync is writing just now, or the file cannot be read or is of a newer program
 */
export async function peekWarehouse<Result>(
  place: Place,
  accountId: bigint,
  resources: readonly Resource[],
  look: (db: Kysely<Database>) => Promise<Result>,
): Promise<Result> {
  const files = warehouseFiles(place)
  const { working, lock } = accountFiles(files, accountId)
  const file = [working, files.published].find((one) => existsSync(one))
  const lake = file === undefined && typeof place !== 'string' ? await lakeOf(place) : undefined
  if (lake) {
    const connection = await connectToLake(lake.instance)
    try {
      await connection.run((await missingTables(connection, resources)).join(';\n'))
      return await look(new Kysely<Database>({ dialect: new DuckDbDialect(connection) }))
    } finally {
      connection.closeSync()
      lake.close()
    }
  }
  return onDatabase(file ?? ':memory:', file ? { access_mode: 'READ_ONLY' } : {}, async (connection) => {
    if (!file) await createTables(connection, resources)
    else await connection.run((await missingTables(connection, resources)).join(';\n'))
    return look(new Kysely<Database>({ dialect: new DuckDbDialect(connection) }))
  }).catch(async (cause: unknown) => {
    if (isLocked(cause)) throw await lockedError(`account ${accountId} of ${files.published}`, lock)
    throw openError(cause, file ?? files.published)
  })
}

/** The lake, to be read; undefined where nothing was published yet. */
function lakeOf(lake: Lake) {
  return openLakeForReading(lake).catch((error: unknown) => {
    if (error instanceof NoWarehouse) return undefined
    throw error
  })
}
