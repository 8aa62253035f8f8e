import type { DuckDBConnection } from '@duckdb/node-api'
import { Kysely } from 'kysely'
import type { Place } from '../../config/place.ts'
import { defaultSettings, type Settings } from '../../config/settings.ts'
import { DuckDbDialect } from '../dialect.ts'
import { NoWarehouse } from '../file/files.ts'
import { publishedAt } from '../file-or-lake.ts'
import type { Opened, OpenOptions, Published } from '../published.ts'
import type { Database } from '../schema/database.ts'
import { presentDefinitions } from './present.ts'
import { asWarehouseError, type Session, sessionOn } from './session.ts'

/** An open warehouse; itself a session, and the place to get more of them. */
export interface Reader extends Session {
  session(): Promise<Session>
  /** The same state for Kysely's typed queries, on a connection that is made when it is first used, and closed with the reader. */
  typed(): Kysely<Database>
}

export interface ReaderOptions {
  readonly memoryLimit?: string
  readonly settings?: Settings
  /** Ends what runs when it is aborted: it then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Works out constants when a statement runs, within the memory limit: while it is planned nothing bounds them. */
  readonly constantsLate?: boolean
  /** Of a lake: the state to read, by its number or its time; the newest unless given. */
  readonly at?: OpenOptions['at']
  /** Threads for each query; default: as many as there are cores. */
  readonly threads?: number
}

/**
 * Opens the published warehouse for reading. The connection cannot write to the file, read or write other
 * files, load extensions, or change these settings again; its time zone is UTC whatever the process says.
 * `memoryLimit` is DuckDB's, e.g. `1GB`. With `settings` every session has them, and this program's definitions, instead
 * of those the file was published with. Throws `WarehouseError` when the file is missing or not readable.
 */
export async function openReader(place: Place, options: ReaderOptions = {}): Promise<Reader> {
  const { signal, memoryLimit, threads, at } = options
  const limits = {
    ...(memoryLimit === undefined ? {} : { memory_limit: memoryLimit }),
    ...(threads === undefined ? {} : { threads: String(threads) }),
  }
  const published = publishedAt(place)
  const opened = await published.open({ settings: limits, at })
  const connections = connectionsTo(opened, signal)
  const first = await connections.add()
  const definitions = await asWarehouseError(() => prepare(first, published, opened, options), signal).catch(
    (error: unknown) => {
      connections.close()
      throw error
    },
  )
  /** Gives a session its definitions, before anything is asked of it. */
  const define = async (connection: DuckDBConnection) => {
    if (definitions) await asWarehouseError(() => connection.run(definitions), signal)
  }
  let defined: Promise<void> | undefined
  // Whoever only wants sessions does not wait for what the reader itself would need.
  const ready = () => {
    defined ??= define(first)
    return defined
  }
  return {
    ...after(ready, sessionOn(first, opened, signal)),
    async session() {
      const connection = await connections.add()
      await define(connection)
      const session = sessionOn(connection, opened, signal)
      return { ...session, close: () => connections.end(connection, session.close()) }
    },
    typed() {
      const connect = async () => {
        const connection = await connections.add()
        if (!opened.holdsDefinitions) await define(connection)
        return connection
      }
      return new Kysely<Database>({ dialect: new DuckDbDialect(connect, () => {}) })
    },
    close: connections.close,
  }
}

/** The same; undefined where nothing was published yet. */
export async function openIfThere(place: Place, options: ReaderOptions = {}): Promise<Reader | undefined> {
  return openReader(place, options).catch((error: unknown) => {
    if (error instanceof NoWarehouse) return undefined
    throw error
  })
}

/** Settles for good how DuckDB is to read. @returns the definitions of each session, as SQL; often none */
async function prepare(
  connection: DuckDBConnection,
  { files }: Published,
  { holdsDefinitions }: Opened,
  options: ReaderOptions,
): Promise<string> {
  // Global, and before anything else: a later connection can no longer set it once the configuration is locked.
  await connection.run("set global TimeZone = 'UTC'")
  if (options.constantsLate) await connection.run("set global disabled_optimizers = 'expression_rewriter'")
  await connection.run('set lock_configuration = true')
  const settings = options.settings ?? (holdsDefinitions ? undefined : defaultSettings)
  return settings ? presentDefinitions(connection, settings, files.reportRuns) : ''
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

/** The same session, that does something before its first use. */
function after(ready: () => Promise<void>, session: Session): Session {
  return {
    query: async (...given) => ready().then(() => session.query(...given)),
    async *stream(...given) {
      await ready()
      yield* session.stream(...given)
    },
    keep: async (...given) => ready().then(() => session.keep(...given)),
    forget: async (...given) => ready().then(() => session.forget(...given)),
    read: async (...given) => ready().then(() => session.read(...given)),
    define: async (...given) => ready().then(() => session.define(...given)),
    stop: (reason) => session.stop(reason),
    close: () => session.close(),
  }
}
