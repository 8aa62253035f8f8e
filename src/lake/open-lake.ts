import { join } from 'node:path'
import { type DuckDBInstance, onConnection } from '../definitions/duckdb.ts'
import { quoteLiteral } from '../definitions/quote.ts'
import type { Lake } from '../settings/lake.ts'
import { enclose } from '../warehouse/extensions.ts'
import { noWarehouse } from '../warehouse/file/files.ts'
import type { Opened, OpenOptions } from '../warehouse/published.ts'
import { spillFolder } from '../warehouse/read/spill.ts'
import { attachForReading } from './attach.ts'
import { LAKE, lakeError, openCatalogue } from './catalog.ts'
import { lakeFiles } from './lake-files.ts'

/** Name of the database file for large results. DuckDB compresses data on disk, but not in memory. */
const KEPT = 'kept'

/**
 * Opens one snapshot for reading. Check each statement with `read/guard.ts`, because some functions could access
 * servers.
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
    await onConnection(opened, async (connection) => {
      await connection.run(`attach ${quoteLiteral(kept)} as ${KEPT}`)
      await enclose(connection, writing && { ...writing, store: lake.store }, [lake.data])
    })
    const connect = async () => {
      const connection = await opened.connect()
      await connection.run(`use ${LAKE}`)
      return connection
    }
    return { connect, close, holdsDefinitions: false, packed: KEPT }
  } catch (cause) {
    close()
    throw lakeError(lake, cause)
  }
}
