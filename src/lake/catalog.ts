import { mkdirSync } from 'node:fs'
import type { DuckDBConnection } from '@duckdb/node-api'
import { DuckDBInstance } from '../definitions/duckdb.ts'
import { quoteIdentifier, quoteLiteral } from '../definitions/quote.ts'
import { FaultlineError, WarehouseError } from '../errors.ts'
import { lakeReasonOf, matchesMeaning, suggestedFix } from '../external-errors.ts'
import type { Lake } from '../settings/lake.ts'
import { isInStore } from '../settings/object-store.ts'
import { loadExtension, makeSecret, reachStore } from '../warehouse/extensions.ts'

/** Memory for publishing. Parquet is written in row groups of 122,880 rows, which are held in memory. */
const MEMORY_LIMIT = '1GB'

/** Name of the attached PostgreSQL of the catalog, for leases and jobs. */
export const POSTGRES = 'catalogue'
export const LAKE = 'lake'

/**
 * Timeouts of libpq, because its defaults would wait for hours after a network failure. Parameters in the address take
 * precedence.
 */
const TIMEOUTS =
  'connect_timeout=10 tcp_user_timeout=30000 keepalives_idle=20 keepalives_interval=5 keepalives_count=4'

/** With the default level, an insert fails if another process adds the same row at the same moment. */
const EACH_STATEMENT = "isolation_level 'READ COMMITTED'"

/** Extensions, as named in the extension folder and on PyPI. */
const EXTENSIONS = ['postgres_scanner', 'ducklake']

/** Opens an in-memory DuckDB with the lake's extensions and its PostgreSQL attached, but not the lake itself. */
export async function openCatalogue(
  lake: Lake,
  options: Readonly<Record<string, string>> = {},
  settings: readonly string[] = [],
): Promise<DuckDBInstance> {
  const instance = await DuckDBInstance.create(':memory:', {
    autoload_known_extensions: 'false',
    autoinstall_known_extensions: 'false',
    ...options,
  })
  const connection = await instance.connect()
  try {
    await connection.run("set global TimeZone = 'UTC'")
    for (const extension of EXTENSIONS) await loadExtension(connection, lake.extensions, extension)
    for (const setting of settings) await connection.run(setting)
    const password = lake.password()
    if (password !== undefined)
      await makeSecret(connection, POSTGRES, `type postgres, password ${quoteLiteral(password)}`)
    if (isInStore(lake.data)) await reachStore(connection, lake.store!, lake.data)
    const secret = password === undefined ? '' : `, secret '${POSTGRES}'`
    await connection.run(
      `attach ${quoteLiteral(`${TIMEOUTS} ${lake.catalogue}`)} as ${POSTGRES} (type postgres, ${EACH_STATEMENT}${secret})`,
    )
    return instance
  } catch (cause) {
    instance.closeSync()
    throw lakeError(lake, cause)
  } finally {
    connection.closeSync()
  }
}

/** Returns the newest snapshot of the lake, or undefined if it is missing or empty. */
export async function newestSnapshot(on: DuckDBInstance | DuckDBConnection): Promise<bigint | undefined> {
  const [there] = await queryCatalog(on, `select to_regclass('ducklake_table')::text`)
  if (there?.[0] === null) return undefined
  const [row] = await queryCatalog(
    on,
    'select max(snapshot_id), (select count(*) from ducklake_table) from ducklake_snapshot',
  )
  return row?.[1] === 0n ? undefined : (row?.[0] as bigint)
}

/** Queries the catalog's PostgreSQL in its own dialect, separately or in the transaction of a connection. */
export async function queryCatalog(
  on: DuckDBInstance | DuckDBConnection,
  query: string,
): Promise<(string | bigint | boolean | null)[][]> {
  const ask = async (connection: DuckDBConnection) =>
    (
      await connection.runAndReadAll(`from postgres_query('${POSTGRES}', ${quoteLiteral(query)})`)
    ).getRows() as (string | bigint | boolean | null)[][]
  return on instanceof DuckDBInstance ? onConnection(on, ask) : ask(on)
}

export async function executeOnCatalog(instance: DuckDBInstance, statement: string): Promise<void> {
  await onConnection(instance, (connection) =>
    connection.run(`call postgres_execute('${POSTGRES}', ${quoteLiteral(statement)})`),
  )
}

/** Runs `act` on a separate connection. */
export async function onConnection<Result>(
  instance: DuckDBInstance,
  act: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  const connection = await instance.connect()
  try {
    return await act(connection)
  } finally {
    connection.closeSync()
  }
}

const openLakes = new Map<string, Promise<DuckDBInstance>>()

/**
 * Opens an instance only once per process and lake, although each job loads its configuration again and creates a new
 * `Lake`.
 */
function onceForEach(use: string, open: (lake: Lake) => Promise<DuckDBInstance>) {
  return async (lake: Lake): Promise<DuckDBInstance> => {
    const key = keyOf(lake, use)
    const opened = openLakes.get(key) ?? open(lake)
    openLakes.set(key, opened)
    opened.catch(() => openLakes.delete(key))
    return opened
  }
}

function keyOf({ catalogue, data, work, extensions, store, password }: Lake, use: string): string {
  return JSON.stringify([use, catalogue, data, work, extensions, password(), store?.s3, store?.secret()])
}

// A pool would not help, because leases occupy connections, and a restart of PostgreSQL leaves dead connections in it.
const NO_POOL = 'set global pg_pool_max_connections = 0'

/**
 * By default, DuckLake retries a commit after a concurrent commit. Every writer has a lease, so a concurrent commit
 * means that the lease was lost. A retry would then duplicate the rows.
 */
const NO_RETRY = 'set global ducklake_max_retry_count = 0'

/** This process's DuckDB for the leases of all accounts. Loading extensions takes 0.1 s. */
export const leasesOf = onceForEach('leases', (lake) => openCatalogue(lake, { threads: '1' }, [NO_POOL]))

/** This process's DuckDB for writing to the lake. Opening it creates a missing lake, so the publishing lease is required. */
export const writerOf = onceForEach('writer', async (lake) => {
  const writer = await openCatalogue(
    lake,
    { memory_limit: MEMORY_LIMIT, preserve_insertion_order: 'false' },
    [NO_POOL, NO_RETRY],
  )
  if (!isInStore(lake.data)) mkdirSync(lake.data, { recursive: true })
  const secret = lake.password() === undefined ? '' : `, meta_secret '${POSTGRES}'`
  await onConnection(writer, async (connection) => {
    // Otherwise, DuckDB's list of tables would include those of PostgreSQL.
    await connection.run(`detach ${POSTGRES}`)
    // Rows are not inlined into the catalog. With DuckLake 1.5.5, this caused wrong statistics, so that readers failed,
    // and a NUL made a commit fail.
    await connection.run(
      `attach ${quoteLiteral(`ducklake:postgres:${TIMEOUTS} ${lake.catalogue}`)} as ${LAKE} (data_path ${quoteLiteral(lake.data)}, data_inlining_row_limit 0${secret})`,
    )
  })
  return writer
})

/** Runs `act` in the lake, or returns `nothing` if it does not exist yet. */
export async function onPublished<Result>(
  lake: Lake,
  nothing: Result,
  act: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  try {
    if ((await newestSnapshot(await leasesOf(lake))) === undefined) return nothing
    return await onConnection(await writerOf(lake), async (connection) => {
      await connection.run(`use ${LAKE}`)
      return act(connection)
    })
  } catch (cause) {
    throw lakeError(lake, cause)
  }
}

/** Explains an error of a lake and suggests a fix, without passwords. Returns a FaultlineError unchanged. */
export function lakeError(lake: Lake, cause: unknown): FaultlineError {
  if (cause instanceof FaultlineError) return cause
  if (matchesMeaning(cause, 'spent'))
    for (const use of ['leases', 'writer']) openLakes.delete(keyOf(lake, use))
  return new WarehouseError(`The lake ${lake} cannot be used: ${reasonHere(cause)}`, {
    cause,
    next: suggestedFix(cause, 'lake'),
  })
}

function reasonHere(cause: unknown): string {
  return lakeReasonOf(cause).replaceAll(`${TIMEOUTS} `, '')
}

export const inLake = (table: string) => `${LAKE}.main.${quoteIdentifier(table)}`
