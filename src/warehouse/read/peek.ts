import { existsSync } from 'node:fs'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Kysely } from 'kysely'
import { onConnection, onDatabase } from '../../definitions/duckdb.ts'
import type { Resource } from '../../resources/resource.ts'
import { openError } from '../database-errors.ts'
import { typedOn } from '../dialect.ts'
import { isLocked, lockedError } from '../file/file-lock.ts'
import { accountFiles, NoWarehouse } from '../file/files.ts'
import type { Published } from '../published.ts'
import { createTables } from '../schema/create.ts'
import type { Database } from '../schema/database.ts'
import { missingTables } from './session-definitions.ts'

/**
 * Reads an account without writing: its working file, or else the published copy, or else an empty warehouse.
 * @throws WarehouseError while a sync is writing, or if the file is unreadable or was written by a newer program
 */
export async function peekWarehouse<Result>(
  published: Published,
  accountId: bigint,
  resources: readonly Resource[],
  look: (db: Kysely<Database>) => Promise<Result>,
): Promise<Result> {
  const { working, lock } = accountFiles(published.files, accountId)
  const lookIn = async (connection: DuckDBConnection) => {
    await connection.run((await missingTables(connection, resources)).join(';\n'))
    return look(typedOn(connection))
  }
  try {
    if (existsSync(working)) return await onDatabase(working, { access_mode: 'READ_ONLY' }, lookIn)
    const opened = await published.open().catch((error: unknown) => {
      if (!(error instanceof NoWarehouse)) throw error
    })
    if (opened) return await onConnection(opened, lookIn).finally(opened.close)
    return await onDatabase(':memory:', {}, async (connection) => {
      await createTables(connection, resources)
      return lookIn(connection)
    })
  } catch (cause) {
    if (isLocked(cause)) throw await lockedError(`account ${accountId} of ${published.name}`, lock)
    throw openError(cause, working)
  }
}
