import type { Kysely } from 'kysely'
import type { Cell } from '../warehouse/read/cell.ts'
import { objectsOf } from '../warehouse/read/objects-of.ts'
import type { QueryParameters } from '../warehouse/read/reader.ts'
import type { Database } from '../warehouse/schema/database.ts'
import { type LakeOptions, placeOf } from './place.ts'

/** What was published, open for reading. A sync may replace it meanwhile: this then has what it had when it was opened. */
export interface OpenWarehouse {
  /** Kysely with every table's columns as types; whole numbers come back as bigint, times as Date. It cannot write. */
  readonly db: Kysely<Database>
  /**
   * The rows of one reading statement, for the views and metrics of `sql/`; `$name` stands for a parameter. Whole numbers
   * are numbers up to 32 bits and bigints beyond, times are Dates; `Cell` says it for each type.
   * @throws WarehouseError for a statement that is wrong, that writes, or that has more than a million rows
   */
  query(sql: string, parameters?: QueryParameters): Promise<Record<string, Cell>[]>
  /** Closes the file; queries under way fail. */
  close(): Promise<void>
}

/**
 * Opens the file that `sync` publishes, or a lake.
 * @param warehouse path of the file, or `ducklake:postgres:host=… dbname=…`
 * @param lake how the lake is reached
 * @throws WarehouseError when it is not there or is no warehouse, ConfigError for the address of a lake
 */
export async function openWarehouse(warehouse: string, lake?: LakeOptions): Promise<OpenWarehouse> {
  const { openDb, openReader } = await import('../warehouse/read/reader.ts')
  const { defaultSettings } = await import('../config/settings.ts')
  const place = await placeOf(warehouse, lake)
  const reader = await openReader(place, { settings: defaultSettings })
  const db = await openDb(place).catch((error: unknown) => {
    reader.close()
    throw error
  })
  return {
    db,
    async query(sql, parameters) {
      return objectsOf(await reader.query(sql, parameters))
    },
    async close() {
      reader.close()
      await db.destroy()
    },
  }
}
