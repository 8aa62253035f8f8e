import { existsSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'
import { Kysely } from 'kysely'
import type { Resource } from '../resources/resource.ts'
import { createTables } from './create.ts'
import type { Database } from './database.ts'
import { DuckDbDialect } from './dialect.ts'
import { warehouseFiles } from './files.ts'
import { openError } from './open-file.ts'

/**
 * Looks at what the sync would start from, without writing: the working file, else the published copy, else an
 * empty warehouse in memory.
 * @throws WarehouseError when a sync is writing just now, or the file cannot be read
 */
export async function peekWarehouse<Result>(
  path: string,
  resources: readonly Resource[],
  look: (db: Kysely<Database>) => Promise<Result>,
): Promise<Result> {
  const files = warehouseFiles(path)
  const file = [files.working, files.published].find((one) => existsSync(one))
  const instance = await DuckDBInstance.create(
    file ?? ':memory:',
    file ? { access_mode: 'READ_ONLY' } : {},
  ).catch((cause: unknown) => {
    throw openError(cause, files)
  })
  const connection = await instance.connect()
  try {
    await connection.run(`set TimeZone = 'UTC'`)
    if (!file) await createTables(connection, resources)
    return await look(new Kysely<Database>({ dialect: new DuckDbDialect(connection) }))
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
