import type { DuckDBConnection } from '@duckdb/node-api'
import type { Kysely } from 'kysely'
import { metricViews } from '../../definitions/metric-views.ts'
import { quoteIdentifier } from '../../definitions/quote.ts'
import { viewFiles } from '../../definitions/views.ts'
import { defaultSettings, type Settings } from '../../settings/settings.ts'
import { statementError } from '../database-errors.ts'
import { typedOn } from '../dialect.ts'
import { NoWarehouse } from '../file/files.ts'
import type { Opened, OpenOptions, Published } from '../published.ts'
import type { Database } from '../schema/database.ts'
import { type Run, runCancellable } from './rows.ts'
import { type OpenSession, type Session, sessionOn } from './session.ts'
import { type Definer, definesOn, type Present, presentDefinitions } from './session-definitions.ts'

/** An open warehouse: a session that can open further sessions. */
export interface Reader extends Session {
  session(): Promise<Session>
  /** Returns a typed query builder for the same snapshot. */
  typed(): Kysely<Database>
  /** A sentence about changes by another program, with a next step. */
  readonly notice: string | undefined
}

export interface ReaderOptions {
  readonly memoryLimit?: string
  readonly settings?: Settings
  /** If aborted, running statements throw the signal's reason. */
  readonly signal?: AbortSignal | undefined
  readonly at?: OpenOptions['at']
  readonly isWorking?: boolean
  /** Threads per query (default: one per core, or one for a small file). */
  readonly threads?: number
}

/**
 * Opens the published warehouse for reading, in UTC. Sessions cannot write, access other files, load extensions, or
 * change DuckDB's settings. `settings` replace the settings and definitions in the file.
 * @throws WarehouseError if the warehouse is missing or unreadable
 */
export async function openReader(published: Published, options: ReaderOptions = {}): Promise<Reader> {
  const { signal, memoryLimit, threads, at, isWorking } = options
  const limits = {
    ...(memoryLimit === undefined ? {} : { memory_limit: memoryLimit }),
    ...(threads === undefined ? {} : { threads: String(threads) }),
  }
  const opened = await published.open({ settings: limits, at, isWorking })
  const connections = connectionsTo(opened, signal)
  const first = await connections.add()
  const run: Run = (act) => runCancellable(act, signal, statementError)
  const definitions = await run(() => prepare(first, published, opened, options)).catch((error: unknown) => {
    connections.close()
    throw error
  })
  const names = [...definitions.all, ...definitions.metrics].map(({ name }) => name)
  const defined = (connection: DuckDBConnection) => {
    const { define, taken } = definesOn(connection, definitions)
    const session = sessionOn(connection, opened, signal, names)
    const definer: Definer = { define: (sql) => run(() => define(sql)), taken }
    return { ...defining(definer, session), definitions: definitions.all }
  }
  return {
    ...defined(first),
    notice: opened.notice,
    async session() {
      const connection = await connections.add()
      const session = defined(connection)
      return { ...session, close: () => connections.end(connection, session.close()) }
    },
    typed() {
      return typedOn(async () => {
        const connection = await connections.add()
        if (!opened.holdsDefinitions) await run(() => definesOn(connection, definitions).define())
        return connection
      })
    },
    close: connections.close,
  }
}

/** Opens the published warehouse, or returns undefined if nothing was published yet. */
export async function openIfThere(
  published: Published,
  options: ReaderOptions = {},
): Promise<Reader | undefined> {
  return openReader(published, options).catch((error: unknown) => {
    if (error instanceof NoWarehouse) return undefined
    throw error
  })
}

/** Locks DuckDB's settings. Returns the definitions that each session needs. */
async function prepare(
  connection: DuckDBConnection,
  { files }: Published,
  { holdsDefinitions }: Opened,
  options: ReaderOptions,
): Promise<Present> {
  // Once the configuration is locked, connections cannot set their time zone.
  await connection.run("set global TimeZone = 'UTC'")
  await connection.run('set lock_configuration = true')
  const settings = options.settings ?? (holdsDefinitions ? undefined : defaultSettings)
  return settings
    ? presentDefinitions(connection, settings, files.reportRuns)
    : { tables: '', views: [], all: viewFiles(), metrics: metricViews(viewFiles()) }
}

function connectionsTo(opened: Opened, signal: AbortSignal | undefined) {
  const open = new Set<DuckDBConnection>()
  const closing = new Set<Promise<unknown>>()
  const stop = () => {
    for (const connection of open) connection.interrupt()
  }
  signal?.addEventListener('abort', stop)
  return {
    async add(): Promise<DuckDBConnection> {
      const connection = await opened.connect()
      open.add(connection)
      return connection
    },
    /**
     * Removes an ended connection. `closed` resolves when DuckDB has closed it, or is undefined if it is already
     * closed.
     */
    end(connection: DuckDBConnection, closed: Promise<unknown> | undefined): void {
      open.delete(connection)
      if (closed) closing.add(closed)
    },
    close(): void {
      signal?.removeEventListener('abort', stop)
      for (const connection of open) connection.closeSync()
      if (closing.size === 0) opened.close()
      else void Promise.all(closing).then(() => opened.close())
    },
  }
}

/** Creates the definitions that a statement uses, before the session runs the statement. */
function defining({ define, taken }: Definer, session: OpenSession): OpenSession {
  return {
    ...session,
    query: async (...given) => define(given[0]).then(() => session.query(...given)),
    async *stream(...given) {
      await define(given[0])
      yield* session.stream(...given)
    },
    keep: async (...given) => {
      await define(given[1])
      taken(given[0])
      await session.keep(...given)
    },
    read: async (name) => define(`from ${quoteIdentifier(name)}`).then(() => session.read(name)),
    define: async (...given) => define().then(() => session.define(...given)),
  }
}
