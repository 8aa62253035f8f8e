import type { DuckDBConnection } from '@duckdb/node-api'
import { Kysely } from 'kysely'
import { metricViews } from '../../definitions/metric-views.ts'
import { quoteIdentifier } from '../../definitions/quote.ts'
import { viewFiles } from '../../definitions/views.ts'
import { defaultSettings, type Settings } from '../../settings/settings.ts'
import { statementError } from '../database-errors.ts'
import { DuckDbDialect } from '../dialect.ts'
import { NoWarehouse } from '../file/files.ts'
import type { Opened, OpenOptions, Published } from '../published.ts'
import type { Database } from '../schema/database.ts'
import { type Run, runCancellable } from './rows.ts'
import { type OpenSession, type Session, sessionOn } from './session.ts'
import { type Definer, definesOn, type Present, presentDefinitions } from './session-definitions.ts'

/** An open warehouse. It is itself a session and can open further sessions. */
export interface Reader extends Session {
  session(): Promise<Session>
  /** Returns the same snapshot for Kysely's typed queries, on a separate connection. */
  typed(): Kysely<Database>
  /** A sentence about changes that another program made to the warehouse's file, with the next step. */
  readonly notice: string | undefined
}

export interface ReaderOptions {
  readonly memoryLimit?: string
  readonly settings?: Settings
  /** Ends running statements when it is aborted. They throw the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** The snapshot of a lake to read, by number or time (default: the newest). */
  readonly at?: OpenOptions['at']
  /** Whether to open the working file of an account, with the batches in its log. */
  readonly isWorking?: boolean
  /** Threads per query (default: one per core, or one for a small file). */
  readonly threads?: number
}

/**
 * Opens the published warehouse in UTC. The connection cannot write to it, access other files, load extensions, or change
 * settings. With `settings`, every session uses these settings and this program's definitions instead of those in the file.
 * @throws WarehouseError if the file is missing or unreadable
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
  /** Wraps a session. Before it runs a statement, the session then creates the definitions that the statement uses. */
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
      const connect = async () => {
        const connection = await connections.add()
        if (!opened.holdsDefinitions) await run(() => definesOn(connection, definitions).define())
        return connection
      }
      return new Kysely<Database>({ dialect: new DuckDbDialect(connect, () => {}) })
    },
    close: connections.close,
  }
}

/** Like `openReader`, but returns undefined if nothing was published yet. */
export async function openIfThere(
  published: Published,
  options: ReaderOptions = {},
): Promise<Reader | undefined> {
  return openReader(published, options).catch((error: unknown) => {
    if (error instanceof NoWarehouse) return undefined
    throw error
  })
}

/** Applies DuckDB's settings irrevocably. @returns the definitions for each session, if it needs any */
async function prepare(
  connection: DuckDBConnection,
  { files }: Published,
  { holdsDefinitions }: Opened,
  options: ReaderOptions,
): Promise<Present> {
  // The time zone is set globally and first, because it cannot be changed after the configuration is locked.
  await connection.run("set global TimeZone = 'UTC'")
  await connection.run('set lock_configuration = true')
  const settings = options.settings ?? (holdsDefinitions ? undefined : defaultSettings)
  return settings
    ? presentDefinitions(connection, settings, files.reportRuns)
    : { tables: '', views: [], all: viewFiles(), metrics: metricViews(viewFiles()) }
}

function connectionsTo(opened: Opened, signal: AbortSignal | undefined) {
  const open = new Set<DuckDBConnection>()
  const closing = new Set<Promise<void>>()
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
    /** @param closed resolves when DuckDB has finished with the connection */
    end(connection: DuckDBConnection, closed: Promise<void> | undefined): void {
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
