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

/** An open warehouse; itself a session, and the place to get more of them. */
export interface Reader extends Session {
  session(): Promise<Session>
  /** The same state for Kysely's typed queries, on a connection that is made when it is first used, and closed with the reader. */
  typed(): Kysely<Database>
  /** What another program did to the warehouse's file, and what to do, in a sentence. */
  readonly notice: string | undefined
}

export interface ReaderOptions {
  readonly memoryLimit?: string
  readonly settings?: Settings
  /** Ends what runs when it is aborted: it then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Of a lake: the state to read, by its number or its time; the newest unless given. */
  readonly at?: OpenOptions['at']
  /** Whether it is the working file of an account, with batches in its log. */
  readonly isWorking?: boolean
  /** Threads for each query; default: as many as there are cores, of a small file one. */
  readonly threads?: number
}

/**
 * Opens the published warehouse for reading. The connection cannot write to the file, read or write other
 * files, load extensions, or change these settings again; its time zone is UTC whatever the process says.
 * `memoryLimit` is DuckDB's, e.g. `1GB`. With `settings` every session has them, and this program's definitions, instead
 * of those the file was published with. Throws `WarehouseError` when the file is missing or not readable.
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
  /** A session that makes what its statements stand on before it asks them. */
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

/** The same; undefined where nothing was published yet. */
export async function openIfThere(
  published: Published,
  options: ReaderOptions = {},
): Promise<Reader | undefined> {
  return openReader(published, options).catch((error: unknown) => {
    if (error instanceof NoWarehouse) return undefined
    throw error
  })
}

/** Settles for good how DuckDB is to read. @returns what each session is given; often nothing */
async function prepare(
  connection: DuckDBConnection,
  { files }: Published,
  { holdsDefinitions }: Opened,
  options: ReaderOptions,
): Promise<Present> {
  // Global, and before anything else: a later connection can no longer set it once the configuration is locked.
  await connection.run("set global TimeZone = 'UTC'")
  await connection.run('set lock_configuration = true')
  const settings = options.settings ?? (holdsDefinitions ? undefined : defaultSettings)
  return settings
    ? presentDefinitions(connection, settings, files.reportRuns)
    : { tables: '', views: [], all: viewFiles(), metrics: metricViews(viewFiles()) }
}

/** The connections to what was opened; all are interrupted when the signal is aborted. */
function connectionsTo(opened: Opened, signal: AbortSignal | undefined) {
  const open = new Set<DuckDBConnection>()
  /** Those that were closed while DuckDB was still busy for them. */
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
    /** @param closed when it is, where DuckDB is still busy for it */
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

/** The same session, with what it is given made before its use. */
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
