import type { Kysely } from 'kysely'
import { checkOptions } from '../check-options.ts'
import { WarehouseError } from '../errors.ts'
import type { QueryParameters } from '../warehouse/read/bind.ts'
import type { Cell } from '../warehouse/read/cell.ts'
import { type QueryLimits, within } from '../warehouse/read/query-limits.ts'
import { objectsOf } from '../warehouse/read/rows-to-objects.ts'
import type { Database } from '../warehouse/schema/database.ts'
import { openSource, SOURCE, type WarehouseSource } from './warehouse-source.ts'

/** A published warehouse, open for reading. Its rows do not change, even if a sync publishes newer rows. */
export interface OpenWarehouse {
  /** Read-only Kysely instance with typed columns. Integers are bigint, times are Date. */
  readonly db: Kysely<Database>
  /**
   * Runs one read-only statement with parameters (`$name`). Integers above 32 bits are bigints, and times are Dates.
   * @param limits a signal, and a timeout in milliseconds
   * @throws WarehouseError for an invalid or writing statement, more than a million rows or a timeout, or the signal's
   * reason if aborted
   */
  query(sql: string, parameters?: QueryParameters, limits?: QueryLimits): Promise<Record<string, Cell>[]>
  /** Closes the file. Running queries fail. */
  close(): Promise<void>
}

export type OpenOptions = Omit<WarehouseSource, 'warehouse'>

/**
 * @param warehouse path of the file that `sync` publishes, or `ducklake:postgres:host=… dbname=…`
 * @throws WarehouseError if the warehouse is missing or invalid, ConfigError for an invalid option or address
 */
export async function openWarehouse(warehouse: string, options: OpenOptions = {}): Promise<OpenWarehouse> {
  const source = { ...options, warehouse }
  checkOptions('openWarehouse', source, SOURCE)
  const reader = await openSource(source)
  const db = reader.typed()
  let isClosed = false
  const opened = () => {
    if (!isClosed) return
    throw new WarehouseError('The warehouse was closed.', { next: 'Open it again: openWarehouse(…).' })
  }
  return {
    get db() {
      opened()
      return db
    },
    async query(sql, parameters, limits = {}) {
      opened()
      checkOptions('query', { sql }, { sql: 'required' })
      checkOptions('query', limits, { signal: 'signal', timeout: 'number' })
      if (limits.signal === undefined && limits.timeout === undefined)
        return objectsOf(await withNext(reader.query(sql, parameters)))
      // A session is unusable after a signal or a timeout stops it, so this query gets its own session.
      const session = await reader.session()
      try {
        const asked = () => withNext(session.query(sql, parameters))
        return objectsOf(await within(limits, session.stop, asked))
      } finally {
        session.close()
      }
    },
    async close() {
      if (isClosed) return
      isClosed = true
      reader.close()
      await db.destroy()
    },
  }
}

/** If a query fails in DuckDB, adds a hint to the error: where tables, views and metrics are listed. */
async function withNext<Result>(answer: Promise<Result>): Promise<Result> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof WarehouseError) || error.next !== undefined) throw error
    throw new WarehouseError(error.message, {
      cause: error,
      next: 'Tables, views and metrics are listed in sql/REFERENCE.md of the package, and by `faultline schema`.',
    })
  }
}
