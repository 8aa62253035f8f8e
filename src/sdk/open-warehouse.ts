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

/** What was published, open for reading. A sync may replace it meanwhile: this then has what it had when it was opened. */
export interface OpenWarehouse {
  /** Kysely with every table's columns as types; whole numbers come back as bigint, times as Date. It cannot write. Opened when it is first used. */
  readonly db: Kysely<Database>
  /**
   * The rows of one reading statement, for the views and metrics of `sql/`; `$name` stands for a parameter. Whole numbers
   * are numbers up to 32 bits and bigints beyond, times are Dates; `Cell` says it for each type.
   * @param limits a signal, and a time in milliseconds, that end it
   * @throws WarehouseError for a statement that is wrong, that writes, that has more than a million rows, or whose time is over;
   * the signal's reason
   */
  query(sql: string, parameters?: QueryParameters, limits?: QueryLimits): Promise<Record<string, Cell>[]>
  /** Closes the file; queries under way fail. */
  close(): Promise<void>
}

/** How a warehouse is opened. */
export interface OpenOptions extends OwnRules {
  /** How the lake is reached. */
  readonly lake?: LakeOptions | undefined
}

/**
 * Opens the file that `sync` publishes, or a lake.
 * @param warehouse path of the file, or `ducklake:postgres:host=… dbname=…`
 * @throws WarehouseError when it is not there or is no warehouse, ConfigError for an option, or the address of a lake
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
      // Of its own: what was stopped answers nothing more.
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

/** What is wrong with a statement, DuckDB says; where to look is said here. */
async function withNext<Result>(answer: Promise<Result>): Promise<Result> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof WarehouseError) || error.next !== undefined) throw error
    throw new WarehouseError(error.message, {
      cause: error,
      next: 'Tables, views and metrics with their columns: sql/REFERENCE.md of the package, or `faultline schema`.',
    })
  }
}
