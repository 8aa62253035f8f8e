import { existsSync } from 'node:fs'
import { Kysely } from 'kysely'
import { FaultlineError } from '../../errors.ts'
import type { Resource } from '../../resources/resource.ts'
import { DuckDbDialect } from '../dialect.ts'
import { accountFiles, warehouseFiles } from '../file/files.ts'
import { isLocked, lockedError } from '../file/lock.ts'
import { onDatabase, openError } from '../file/open-file.ts'
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
  path: string,
  accountId: bigint,
  resources: readonly Resource[],
  look: (db: Kysely<Database>) => Promise<Result>,
): Promise<Result> {
  const files = warehouseFiles(path)
  const { working, lock } = accountFiles(files, accountId)
  const file = [working, files.published].find((one) => existsSync(one))
  return onDatabase(file ?? ':memory:', file ? { access_mode: 'READ_ONLY' } : {}, async (connection) => {
    if (!file) await createTables(connection, resources)
    else await connection.run((await missingTables(connection, resources)).join(';\n'))
    return look(new Kysely<Database>({ dialect: new DuckDbDialect(connection) }))
  }).catch(async (cause: unknown) => {
    if (cause instanceof FaultlineError) throw cause
    if (isLocked(cause)) throw await lockedError(`account ${accountId} of ${files.published}`, lock)
    throw openError(cause, file ?? path)
  })
}
