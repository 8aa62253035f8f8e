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

/** The database beside the lake in which a reader keeps what is large: on disk, and packed, as what lies in memory is not. */
const KEPT = 'kept'

/**
 * A DuckDB in memory that has the lake of one moment attached, and reaches nothing else. Its statements must be checked by
 * `read/guard.ts`, since functions that reach servers and files are there. An object store is written to only where the lake has the key of it.
 * @throws WarehouseError when nothing was published yet, or the lake cannot be read
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
      throw new Error('its catalogue cannot be copied: no temporary folder can be written')
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

/** From here on only the lake, the file for what is large and what is below the folder are within reach. */
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
