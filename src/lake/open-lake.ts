import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { DuckDBInstance } from '../definitions/duckdb.ts'
import { quoteLiteral } from '../definitions/quote.ts'
import type { Lake } from '../settings/lake.ts'
import { isInStore } from '../settings/object-store.ts'
import { reachStore } from '../warehouse/extensions.ts'
import { noWarehouse } from '../warehouse/file/files.ts'
import type { Opened, OpenOptions } from '../warehouse/published.ts'
import { spillFolder } from '../warehouse/read/spill.ts'
import { attachForReading } from './attach.ts'
import { LAKE, lakeError, onConnection, openCatalogue } from './catalog.ts'
import { lakeFiles } from './lake-files.ts'

/** Name of the reader's own database for large results. It is on disk, where data is compressed, unlike in memory. */
const KEPT = 'kept'

/**
 * Opens an in-memory DuckDB with only the lake attached, as of one moment. Check its statements with `read/guard.ts`, because
 * functions that access servers and files exist in this database. Writing to an object store requires the lake's key.
 */
export async function openLake(lake: Lake, options: OpenOptions = {}): Promise<Opened> {
  const { settings, at, writing } = options
  const own = spillFolder()
  let instance: DuckDBInstance | undefined
  const close = () => {
    instance?.closeSync()
    own.remove()
  }
  try {
    if (own.path === undefined)
      throw new Error('its catalog cannot be copied: no temporary folder can be written')
    const opened = await openCatalogue(lake, { ...settings, temp_directory: own.path })
    instance = opened
    const file = join(own.path, 'catalogue.duckdb')
    if (!(await attachForReading(opened, lake, { file, at }))) throw noWarehouse(lakeFiles(lake))
    const kept = join(own.path, `${KEPT}.duckdb`)
    await onConnection(opened, (connection) => enclose(connection, lake, kept, writing?.folder))
    return {
      connect: () => connect(opened),
      close,
      holdsDefinitions: false,
      packed: KEPT,
    }
  } catch (cause) {
    close()
    throw lakeError(lake, cause)
  }
}

/** Limits all further access to the lake, the file for large results, and the folder for writing. */
async function enclose(
  connection: DuckDBConnection,
  lake: Lake,
  kept: string,
  folder: string | undefined,
): Promise<void> {
  await connection.run(`attach ${quoteLiteral(kept)} as ${KEPT}`)
  if (folder !== undefined && isInStore(folder)) await reachStore(connection, lake.store!, folder)
  const reached = [lake.data, ...(folder === undefined ? [] : [folder])].map(quoteLiteral)
  await connection.run(`set global allowed_directories = [${reached.join(', ')}]`)
  await connection.run('set global enable_external_access = false')
}

async function connect(instance: DuckDBInstance): Promise<DuckDBConnection> {
  const connection = await instance.connect()
  await connection.run(`use ${LAKE}`)
  return connection
}
