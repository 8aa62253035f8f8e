import { mkdirSync } from 'node:fs'
import type { DuckDBConnection } from '@duckdb/node-api'
import { DuckDBInstance } from '../definitions/duckdb.ts'
import { quoteIdentifier, quoteLiteral } from '../definitions/quote.ts'
import { FaultlineError, WarehouseError } from '../errors.ts'
import { lakeReasonOf, matchesMeaning, suggestedFix } from '../external-errors.ts'
import type { Lake } from '../settings/lake.ts'
import { isInStore } from '../settings/object-store.ts'
import { loadExtension, makeSecret, reachStore } from '../warehouse/extensions.ts'

/** What publishing may take: Parquet is written by row groups of 122,880 rows, each column in memory. */
const MEMORY_LIMIT = '1GB'

/** Under this name the catalogue's PostgreSQL is attached, for leases and jobs. */
export const POSTGRES = 'catalogue'
/** Under this name the lake is. */
export const LAKE = 'lake'

/** libpq's own settings would wait for hours where the network is cut; what the address says of them comes after, and counts. */
const TIMEOUTS =
  'connect_timeout=10 tcp_user_timeout=30000 keepalives_idle=20 keepalives_interval=5 keepalives_count=4'

/** By default an insert fails if another process adds the same row at the same moment. */
const EACH_STATEMENT = "isolation_level 'READ COMMITTED'"

/** An extension, as the folder and as PyPI name it. */
const EXTENSIONS = ['postgres_scanner', 'ducklake']

/**
 * A DuckDB in memory that can reach a lake: extensions loaded, the catalogue's PostgreSQL attached. The lake itself is not.
 * @throws WarehouseError when an extension is missing, or PostgreSQL refuses
 */
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

/** The newest snapshot of the lake; undefined when there is no lake, or nothing in it. */
export async function newestSnapshot(on: DuckDBInstance | DuckDBConnection): Promise<bigint | undefined> {
  const [there] = await queryCatalog(on, `select to_regclass('ducklake_table')::text`)
  if (there?.[0] === null) return undefined
  const [row] = await queryCatalog(
    on,
    'select max(snapshot_id), (select count(*) from ducklake_table) from ducklake_snapshot',
  )
  return row?.[1] === 0n ? undefined : (row?.[0] as bigint)
}

/** Asks the catalogue's PostgreSQL in its own words, by itself or in the transaction of a connection. */
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

/** Has the catalogue's PostgreSQL change something. */
export async function executeOnCatalog(instance: DuckDBInstance, statement: string): Promise<void> {
  await onConnection(instance, (connection) =>
    connection.run(`call postgres_execute('${POSTGRES}', ${quoteLiteral(statement)})`),
  )
}

/** Does something on a connection of its own. */
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

/** What a process opens once for each lake, and again when that failed: each job of a worker has read its configuration anew. */
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

// Leases hold connections, and a PostgreSQL that was started anew leaves dead ones behind.
const NO_POOL = 'set global pg_pool_max_connections = 0'

/**
 * DuckLake tries a commit that met another again, on top of it, and takes inserts beside inserts for no conflict. Whoever writes
 * holds a lease: that another has committed means that the lease was lost, and the rows would be there twice.
 */
const NO_RETRY = 'set global ducklake_max_retry_count = 0'

/** This process's DuckDB for leases: one for all accounts, since loading extensions takes a tenth of a second. It ends with the process. */
export const leasesOf = onceForEach('leases', (lake) => openCatalogue(lake, { threads: '1' }, [NO_POOL]))

/** This process's DuckDB that has the lake attached for writing; it is made where there is none: then hold the lease of publishing. */
export const writerOf = onceForEach('writer', async (lake) => {
  const writer = await openCatalogue(
    lake,
    { memory_limit: MEMORY_LIMIT, preserve_insertion_order: 'false' },
    [NO_POOL, NO_RETRY],
  )
  if (!isInStore(lake.data)) mkdirSync(lake.data, { recursive: true })
  const secret = lake.password() === undefined ? '' : `, meta_secret '${POSTGRES}'`
  await onConnection(writer, async (connection) => {
    // Whoever asks DuckDB for its tables would be given those of PostgreSQL.
    await connection.run(`detach ${POSTGRES}`)
    // Rows in the catalogue were tried with DuckLake 1.5.5: statistics became wrong, so that readers failed, and a NUL failed a commit.
    await connection.run(
      `attach ${quoteLiteral(`ducklake:postgres:${TIMEOUTS} ${lake.catalogue}`)} as ${LAKE} (data_path ${quoteLiteral(lake.data)}, data_inlining_row_limit 0${secret})`,
    )
  })
  return writer
})

/** Does something in the lake; gives `nothing` while there is none. */
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

/** What went wrong with a lake, in words that say what to do; never with a password. An error of ours stays as it is. */
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

/** A table of the lake. */
export const inLake = (table: string) => `${LAKE}.main.${quoteIdentifier(table)}`
