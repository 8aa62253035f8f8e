import { existsSync } from 'node:fs'
import type { DuckDBConnection } from '@duckdb/node-api'
import { Kysely } from 'kysely'
import type { Resource } from '../../resources/resource.ts'
import { openError } from '../database-errors.ts'
import { DuckDbDialect } from '../dialect.ts'
import { isLocked, lockedError } from '../file/file-lock.ts'
import { accountFiles, NoWarehouse } from '../file/files.ts'
import { onDatabase } from '../file/open-file.ts'
import type { Opened, Published } from '../published.ts'
import { createTables } from '../schema/create.ts'
import type { Database } from '../schema/database.ts'
import { missingTables } from './session-definitions.ts'

/**
 * Runs `act` on the data from which the sync of an account would start, without writing. This is the working file of
 * the account. If there is none, it is the published copy, or otherwise an empty warehouse. Tables that an older file
 * lacks appear empty.
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
    return look(new Kysely<Database>({ dialect: new DuckDbDialect(connection) }))
  }
  try {
    if (existsSync(working)) return await onDatabase(working, { access_mode: 'READ_ONLY' }, lookIn)
    const opened = await published.open().catch((error: unknown) => {
      if (!(error instanceof NoWarehouse)) throw error
    })
    if (opened) return await onOpened(opened, lookIn)
    return await onDatabase(':memory:', {}, async (connection) => {
      await createTables(connection, resources)
      return lookIn(connection)
    })
  } catch (cause) {
    if (isLocked(cause)) throw await lockedError(`account ${accountId} of ${published.name}`, lock)
    throw openError(cause, working)
  }
}

async function onOpened<Result>(
  opened: Opened,
  act: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  try {
    const connection = await opened.connect()
    try {
      return await act(connection)
    } finally {
      connection.closeSync()
    }
  } finally {
    opened.close()
  }
}
