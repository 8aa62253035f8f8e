import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteLiteral } from '../definitions/quote.ts'
import { WarehouseError } from '../errors.ts'
import { matchesMeaning } from '../external-errors.ts'
import type { Lake } from '../settings/lake.ts'
import type { AccountLease, Lease } from '../warehouse/published.ts'
import { executeOnCatalog, lakeError, leasesOf, queryCatalog } from './catalog.ts'
import { inCatalog } from './catalog-tables.ts'

/** Milliseconds to wait for the publishing lease: per query, which blocks a thread of this process, and in total. */
const WAIT_MS = 2_000
const MOST_WAIT_MS = 600_000

/** Locks a row in PostgreSQL. Returns undefined if this or another process holds the lease. */
export async function takeLease(lake: Lake, what: string, waitMs = 0): Promise<Lease | undefined> {
  return inCatalog(lake, async () => {
    const connection =
      (await lockRow(lake, what, waitMs)) ??
      ((await addRow(lake, what)) ? await lockRow(lake, what, waitMs) : undefined)
    return connection && held(lake, what, connection)
  })
}

/** Locks a row instead of using an advisory lock, because even the reader role could take an advisory lock. */
async function lockRow(lake: Lake, what: string, waitMs: number): Promise<DuckDBConnection | undefined> {
  const connection = await (await leasesOf(lake)).connect()
  try {
    await connection.run('begin')
    if (waitMs > 0) await queryCatalog(connection, `select set_config('lock_timeout', '${waitMs}', true)`)
    const [row] = await queryCatalog(
      connection,
      `select set_config('idle_in_transaction_session_timeout', '${lake.silentMs}', true)
        from faultline_locks where name = ${quoteLiteral(what)} for update ${waitMs > 0 ? '' : 'skip locked'}`,
    )
    if (row !== undefined) return connection
    await shut(connection)
  } catch (error) {
    await shut(connection)
    if (waitMs === 0 || !matchesMeaning(error, 'lockTimeout')) throw error
  }
  return undefined
}

/** Adds the row of a lease. Returns false if the row already exists. */
async function addRow(lake: Lake, what: string): Promise<boolean> {
  const writer = await leasesOf(lake)
  const found = await queryCatalog(
    writer,
    `select name from faultline_locks where name = ${quoteLiteral(what)}`,
  )
  if (found.length > 0) return false
  await executeOnCatalog(
    writer,
    `insert into faultline_locks (name) values (${quoteLiteral(what)}) on conflict do nothing`,
  )
  return true
}

/**
 * Keeps a lease with a timer that queries PostgreSQL. PostgreSQL ends a lease after `silentMs` without a query, so that
 * a paused process does not block others. If PostgreSQL does not respond in time, the lease counts as lost.
 */
function held(lake: Lake, what: string, connection: DuckDBConnection): Lease {
  const { silentMs } = lake
  const losing = new AbortController()
  let heardAt = performance.now()
  const lose = (cause?: unknown) => {
    clearInterval(timer)
    const error = new WarehouseError(`The lease of ${what} in ${lake} was lost.`, {
      cause,
      next: 'This process was paused or disconnected from PostgreSQL. Sync again. Readers see no partial data.',
    })
    losing.abort(error)
    return error
  }
  const confirm = async () => {
    losing.signal.throwIfAborted()
    const askedAt = performance.now()
    try {
      await inTime(queryCatalog(connection, 'select 1'), silentMs / 3)
    } catch (cause) {
      throw lose(cause)
    }
    heardAt = askedAt
  }
  const timer = setInterval(() => {
    if (performance.now() - heardAt > silentMs) lose()
    else confirm().catch(() => undefined)
  }, silentMs / 4).unref()
  return {
    lost: losing.signal,
    confirm,
    async release() {
      clearInterval(timer)
      const ended = shut(connection)
      // If the lease was lost, PostgreSQL might never respond.
      if (!losing.signal.aborted) await ended
    },
  }
}

async function inTime(answer: Promise<unknown>, ms: number): Promise<void> {
  const waited = new AbortController()
  const late = sleep(ms, true, { signal: waited.signal }).catch(() => false)
  const isLate = await Promise.race([answer.then(() => false), late]).finally(() => waited.abort())
  if (isLate) throw new Error(`no answer for ${ms} ms`)
}

async function shut(connection: DuckDBConnection): Promise<void> {
  // The server might already have ended the transaction.
  await connection.run('rollback').catch(() => undefined)
  connection.closeSync()
}

/** The last publication that this process requested, by lake. */
const lastToPublish = new Map<string, Promise<unknown>>()

/** Waits for the publishing lease, then runs `act`. Converts errors with `lakeError`. */
export async function whilePublishing<Result>(
  lake: Lake,
  act: (publishing: Lease) => Promise<Result>,
): Promise<Result> {
  // Only one request per process waits in PostgreSQL. Others wait here for the previous request.
  const before = lastToPublish.get(String(lake))
  const own = Promise.resolve(before).then(async () => {
    const publishing = await leasePublishing(lake)
    try {
      await endFormer(lake)
      return await act(publishing)
    } catch (cause) {
      throw lakeError(lake, cause)
    } finally {
      await publishing.release()
    }
  })
  lastToPublish.set(
    String(lake),
    own.catch(() => undefined),
  )
  return own
}

async function leasePublishing(lake: Lake): Promise<Lease> {
  for (let waitedMs = 0; waitedMs < MOST_WAIT_MS; waitedMs += WAIT_MS) {
    const lease = await takeLease(lake, 'publishing', WAIT_MS)
    if (lease !== undefined) return lease
  }
  throw new WarehouseError(`Other processes have been publishing into ${lake} for ten minutes.`, {
    next: 'Check pg_stat_activity there, then sync again.',
  })
}

/** Ends the connection of a paused or disconnected process, whose unfinished transaction would block this process. */
async function endFormer(lake: Lake): Promise<void> {
  await queryCatalog(
    await leasesOf(lake),
    `select pg_terminate_backend(pid) from pg_locks join pg_stat_activity using (pid)
      where starts_with(relation::regclass::text, 'ducklake_') and mode = 'RowExclusiveLock'
        and datname = current_database() and pid <> pg_backend_pid() and pg_has_role(usesysid, 'member')`,
  )
}

/**
 * Name of this process in leases. It contains a random part, because a restarted container has the same host name and
 * process id.
 */
export const PROCESS = `${hostname()} ${process.pid} ${randomUUID().slice(0, 8)}`

const LEASES = 'faultline_leases'

/**
 * Leases an account. A new lease prevents previous holders from publishing. Returns undefined if another process holds
 * the lease.
 */
export async function leaseAccount(lake: Lake, accountId: bigint): Promise<AccountLease | undefined> {
  const lease = await takeLease(lake, `account ${accountId}`)
  if (lease === undefined) return undefined
  try {
    await executeOnCatalog(
      await leasesOf(lake),
      `insert into ${LEASES} (account_id, epoch, holder, taken_at)
        values (${accountId}, 1, ${quoteLiteral(PROCESS)}, now())
        on conflict (account_id) do update set
          epoch = ${LEASES}.epoch + 1, holder = excluded.holder, taken_at = excluded.taken_at`,
    )
    return { ...lease, epoch: (await epochOf(lake, accountId))! }
  } catch (error) {
    await lease.release()
    throw lakeError(lake, error)
  }
}

/** Leases an account. @throws WarehouseError that names the current holder, if the account is already leased */
export async function leaseFreeAccount(lake: Lake, accountId: bigint): Promise<AccountLease> {
  const lease = await leaseAccount(lake, accountId)
  if (lease === undefined) throw await leasedError(lake, accountId)
  return lease
}

export async function leasedError(lake: Lake, accountId: bigint): Promise<WarehouseError> {
  const [row] = await queryCatalog(
    await leasesOf(lake),
    `select holder, to_char(taken_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
      from ${LEASES} where account_id = ${accountId}`,
  )
  const [holder = 'another process', since = 'just now'] = row ?? []
  return new WarehouseError(`Account ${accountId} of ${lake} is leased by ${holder}, since ${since}.`, {
    next: 'Wait for it to end, or stop that process: its finished batches are kept.',
  })
}

/** Checks a lease. @throws WarehouseError if another process has leased the account since this process leased it */
export async function checkEpoch(lake: Lake, accountId: bigint, { epoch }: AccountLease): Promise<void> {
  const now = await epochOf(lake, accountId)
  if (now === epoch) return
  throw new WarehouseError(
    `Account ${accountId} of ${lake} was leased to another process in the meantime: its epoch is now ${now}, not ${epoch}.`,
    {
      next: 'The data that this process read is not published. The other process continues with the account.',
    },
  )
}

async function epochOf(lake: Lake, accountId: bigint): Promise<bigint | undefined> {
  const rows = await queryCatalog(
    await leasesOf(lake),
    `select epoch from ${LEASES} where account_id = ${accountId}`,
  )
  return rows[0]?.[0] as bigint | undefined
}
