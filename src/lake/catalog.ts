import { mkdirSync } from 'node:fs'
import type { DuckDBConnection } from '@duckdb/node-api'
import { DuckDBInstance, onConnection } from '../definitions/duckdb.ts'
import { quoteIdentifier, quoteLiteral } from '../definitions/quote.ts'
import { FaultlineError, WarehouseError } from '../errors.ts'
import { lakeReasonOf, matchesMeaning, suggestedFix } from '../external-errors.ts'
import type { Lake } from '../settings/lake.ts'
import { isInStore } from '../settings/object-store.ts'
import { loadExtension, makeSecret, reachStore } from '../warehouse/extensions.ts'

/** Memory limit for publishing. DuckDB holds 122,880 rows in memory before it writes them to a Parquet file. */
const MEMORY_LIMIT = '1GB'

/** Name of the attached PostgreSQL database with the catalog, leases and jobs. */
export const POSTGRES = 'catalogue'
export const LAKE = 'lake'

/** PostgreSQL's client would wait for hours after a network failure. The lake's address can override these timeouts. */
const TIMEOUTS =
  'connect_timeout=10 tcp_user_timeout=30000 keepalives_idle=20 keepalives_interval=5 keepalives_count=4'

/**
 * Isolation level of transactions in PostgreSQL. With the default level of DuckDB's PostgreSQL extension, an insert
 * fails if another process inserts the same row at the same time.
 */
const EACH_STATEMENT = "isolation_level 'READ COMMITTED'"

/** Attaches the lake's PostgreSQL database to an in-memory DuckDB, but not the lake itself. */
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
  return onConnection(instance, async (connection) => {
    await connection.run("set global TimeZone = 'UTC'")
    for (const extension of ['postgres_scanner', 'ducklake'])
      await loadExtension(connection, lake.extensions, extension)
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
  }).catch((cause: unknown) => {
    instance.closeSync()
    throw lakeError(lake, cause)
  })
}

/** Returns the number of the newest snapshot, or undefined if the lake does not exist or has no tables. */
export async function newestSnapshot(on: DuckDBInstance | DuckDBConnection): Promise<bigint | undefined> {
  const [there] = await queryCatalog(on, `select to_regclass('ducklake_table')::text`)
  if (there?.[0] === null) return undefined
  const [row] = await queryCatalog(
    on,
    'select max(snapshot_id), (select count(*) from ducklake_table) from ducklake_snapshot',
  )
  return row?.[1] === 0n ? undefined : (row?.[0] as bigint)
}

/** Runs a query in PostgreSQL's dialect. Pass a connection if the query belongs to a transaction. */
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

/**
 * Runs a statement that commits itself. PostgreSQL would keep the locks of an open transaction for hours if this machine
 * were cut off before a separate commit, and other machines would wait for them.
 */
export async function executeOnCatalog(instance: DuckDBInstance, statement: string): Promise<void> {
  await onConnection(instance, (connection) =>
    connection.run(
      `call postgres_execute('${POSTGRES}', ${quoteLiteral(statement)}, use_transaction = false)`,
    ),
  )
}

const openLakes = new Map<string, Promise<DuckDBInstance>>()

/** Opens DuckDB once per process and lake. Compares lakes by content, because each job creates its own object. */
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

// Each lease needs its own connection. After a restart of PostgreSQL, a pool would contain dead connections.
const NO_POOL = 'set global pg_pool_max_connections = 0'

/** DuckLake does not repeat a failed commit, so that this process can first check whether it lost its lease. */
const NO_RETRY = 'set global ducklake_max_retry_count = 0'

/** Opens DuckDB for leases, jobs and queries on the catalog. */
export const leasesOf = onceForEach('leases', (lake) => openCatalogue(lake, { threads: '1' }, [NO_POOL]))

/** Opens DuckDB for writing. Creates a missing lake, which requires the publishing lease. */
export const writerOf = onceForEach('writer', async (lake) => {
  const writer = await openCatalogue(
    lake,
    { memory_limit: MEMORY_LIMIT, preserve_insertion_order: 'false' },
    [NO_POOL, NO_RETRY],
  )
  if (!isInStore(lake.data)) mkdirSync(lake.data, { recursive: true })
  const secret = lake.password() === undefined ? '' : `, meta_secret '${POSTGRES}'`
  await onConnection(writer, async (connection) => {
    // DuckDB's list of tables would otherwise include those of PostgreSQL.
    await connection.run(`detach ${POSTGRES}`)
    // Disables storing rows in the catalog, which would break the statistics of DuckLake 1.5.5, and commits with a NUL
    // character.
    await connection.run(
      `attach ${quoteLiteral(`ducklake:postgres:${TIMEOUTS} ${lake.catalogue}`)} as ${LAKE} (data_path ${quoteLiteral(lake.data)}, data_inlining_row_limit 0${secret})`,
    )
  })
  return writer
})

/** Runs `act` on the lake's tables. Returns `nothing` if the lake does not exist yet. */
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

/** Converts an error of the lake, and suggests a fix without showing passwords. Keeps a FaultlineError unchanged. */
export function lakeError(lake: Lake, cause: unknown): FaultlineError {
  if (cause instanceof FaultlineError) return cause
  if (matchesMeaning(cause, 'spent'))
    for (const use of ['leases', 'writer']) openLakes.delete(keyOf(lake, use))
  const reason = lakeReasonOf(cause).replaceAll(`${TIMEOUTS} `, '')
  const next = suggestedFix(cause, 'lake')
  return new WarehouseError(`The lake ${lake} cannot be used: ${reason}`, { cause, next })
}

export const inLake = (table: string) => `${LAKE}.main.${quoteIdentifier(table)}`
