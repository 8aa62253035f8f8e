import type { Kysely } from 'kysely'
import { checkOptions } from '../check-options.ts'
import { WarehouseError } from '../errors.ts'
import type { QueryParameters } from '../warehouse/read/bind.ts'
import type { Cell } from '../warehouse/read/cell.ts'
import { type QueryLimits, within } from '../warehouse/read/query-limits.ts'
import { objectsOf } from '../warehouse/read/rows-to-objects.ts'
import type { Database } from '../warehouse/schema/database.ts'
import { type OwnRules, settingsBy } from './own-settings.ts'
import { type LakeOptions, parseLocation } from './parse-location.ts'
import { resolveStorage } from './resolve-storage.ts'

/** A published warehouse, open for reading. It keeps its contents even if a sync publishes new ones. */
export interface OpenWarehouse {
  /** Read-only Kysely instance with typed columns. Integers are bigint, times are Date. Opened on first use. */
  readonly db: Kysely<Database>
  /**
   * Runs one read-only statement with the views and metrics of `sql/`, where `$name` is a parameter. Integers of up to 32
   * bits are numbers, and larger types are bigints. Times are Dates. `Cell` lists all types.
   * @param limits a signal and a timeout in milliseconds
   * @throws WarehouseError for a statement that is invalid, writes, returns more than a million rows or times out, or the
   * signal's reason
   */
  query(sql: string, parameters?: QueryParameters, limits?: QueryLimits): Promise<Record<string, Cell>[]>
  /** Closes the file. Running queries fail. */
  close(): Promise<void>
}

/** Options to open a warehouse. */
export interface OpenOptions extends OwnRules {
  /** Access to the lake. */
  readonly lake?: LakeOptions | undefined
}

/**
 * Opens the file that `sync` publishes, or a lake.
 * @param warehouse path of the file, or `ducklake:postgres:host=… dbname=…`
 * @throws WarehouseError if it is missing or invalid, ConfigError for an option or the address of a lake
 */
export async function openWarehouse(warehouse: string, options: OpenOptions = {}): Promise<OpenWarehouse> {
  const { lake, ...own } = options
  checkOptions(
    'openWarehouse',
    { ...options, warehouse },
    { warehouse: 'required', lake: 'object', config: 'text', sql: 'text' },
  )
  const { openReader } = await import('../warehouse/read/reader.ts')
  const reader = await openReader(await resolveStorage(await parseLocation(warehouse, lake)), {
    settings: await settingsBy(own),
  })
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
      // Uses a separate session, because a stopped session cannot be used again.
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

/** Adds a hint to errors of DuckDB. */
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
