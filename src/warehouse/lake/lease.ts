import { hostname } from 'node:os'
import type { Lake } from '../../config/lake.ts'
import { WarehouseError } from '../../errors.ts'
import { literal } from '../quote.ts'
import { askPostgres, lakeError, locksOf, tellPostgres } from './catalogue.ts'

/**
 * After this long without a word PostgreSQL ends the transaction that holds a lock, and with it the lock: a process that was
 * paused, or whose machine is cut off, holds nobody up for longer. A living one says a word more often.
 */
const SILENT_MS = 60_000
const WORD_MS = 15_000

/** A short lock is waited for so long at once, which a thread of the process does too, and for so long in all. */
const WAIT_MS = 2_000
const MOST_WAIT_MS = 600_000

/** A lock among all processes of a lake: an advisory lock of PostgreSQL, which ends with the process that holds it. */
export interface Lock {
  /** Aborted when the lock was lost. */
  readonly lost: AbortSignal
  /** @throws when the lock was lost: then nothing may be written that it guards */
  confirm(): Promise<void>
  release(): Promise<void>
}

/** The right to write an account, of one process at a time. */
export interface Lease extends Lock {
  /** How often the account was leased: whoever has an older one may not publish any more. */
  readonly epoch: bigint
}

/**
 * Takes a lock, held in a transaction of its own; undefined while another process, or this one, holds it.
 * @param waitMs how long PostgreSQL waits for it to be free
 */
export async function tryLock(lake: Lake, what: string, waitMs = 0): Promise<Lock | undefined> {
  const connection = await (await locksOf(lake)).connect()
  const shut = async () => {
    // The server may have ended it.
    await connection.run('rollback').catch(() => undefined)
    connection.closeSync()
  }
  try {
    await connection.run('begin')
    const key = `hashtextextended(${literal(`faultline ${what}`)}, 0)`
    if (waitMs > 0) await askPostgres(connection, `select set_config('lock_timeout', '${waitMs}', true)`)
    const [row] = await askPostgres(
      connection,
      `select ${waitMs > 0 ? `pg_advisory_xact_lock(${key}) is not null` : `pg_try_advisory_xact_lock(${key})`},
        set_config('idle_in_transaction_session_timeout', '${SILENT_MS}', true)`,
    )
    if (row?.[0] !== true) {
      await shut()
      return undefined
    }
  } catch (error) {
    await shut()
    if (waitMs > 0 && /lock timeout/.test(String(error))) return undefined
    throw lakeError(lake, error)
  }
  const losing = new AbortController()
  const confirm = async () => {
    await askPostgres(connection, 'select 1').catch((cause: unknown) => {
      const error = new WarehouseError(`The lock of ${what} in ${lake} was lost.`, {
        cause,
        next: 'This process was paused, or cut off from PostgreSQL. Sync again; nothing half-written is seen.',
      })
      losing.abort(error)
      throw error
    })
  }
  const timer = setInterval(() => confirm().catch(() => clearInterval(timer)), WORD_MS).unref()
  return {
    lost: losing.signal,
    confirm,
    async release() {
      clearInterval(timer)
      await shut()
    },
  }
}

/** The last of this process that wants to publish into a lake, and when it is done. */
const lastToPublish = new Map<string, Promise<void>>()

/** Takes the lock of publishing, which is held for moments, as soon as it is free. One of a process asks for it at a time. */
export async function lockPublishing(lake: Lake): Promise<Lock> {
  const before = lastToPublish.get(String(lake))
  let done = () => {}
  const own = new Promise<void>((resolve) => {
    done = resolve
  })
  lastToPublish.set(String(lake), own)
  await before
  try {
    for (let waitedMs = 0; waitedMs < MOST_WAIT_MS; waitedMs += WAIT_MS) {
      const lock = await tryLock(lake, 'publishing', WAIT_MS)
      if (lock) return { ...lock, release: () => lock.release().finally(done) }
    }
  } catch (error) {
    done()
    throw error
  }
  done()
  throw new WarehouseError(`Others have been publishing into ${lake} for ten minutes.`, {
    next: 'Look at pg_stat_activity there, then sync again.',
  })
}

const LEASES = 'faultline_leases'

/** Leases an account; undefined while another process has it. Whoever had it before can publish no more. */
export async function takeLease(lake: Lake, accountId: bigint): Promise<Lease | undefined> {
  const lock = await tryLock(lake, `account ${accountId}`)
  if (lock === undefined) return undefined
  const writer = await locksOf(lake)
  try {
    await makeTable(
      lake,
      LEASES,
      '(account_id bigint primary key, epoch bigint not null, holder text, taken_at timestamptz)',
    )
    await tellPostgres(
      writer,
      `insert into ${LEASES} (account_id, epoch, holder, taken_at)
        values (${accountId}, 1, ${literal(`${hostname()} ${process.pid}`)}, now())
        on conflict (account_id) do update set
          epoch = ${LEASES}.epoch + 1, holder = excluded.holder, taken_at = excluded.taken_at`,
    )
    return { ...lock, epoch: (await epochOf(lake, accountId))! }
  } catch (error) {
    await lock.release()
    throw lakeError(lake, error)
  }
}

/** Who leased an account last; for the error of whoever cannot have it. */
export async function leasedError(lake: Lake, accountId: bigint): Promise<WarehouseError> {
  const [row] = await askPostgres(
    await locksOf(lake),
    `select holder, to_char(taken_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
      from ${LEASES} where account_id = ${accountId}`,
  )
  const [holder = 'another process', since = 'just now'] = row ?? []
  return new WarehouseError(`Account ${accountId} of ${lake} is leased by ${holder}, since ${since}.`, {
    next: 'Wait for it to end, or stop that process: its finished batches are kept.',
  })
}

/** @throws WarehouseError when the account was leased anew since */
export async function checkEpoch(lake: Lake, accountId: bigint, { epoch }: Lease): Promise<void> {
  const now = await epochOf(lake, accountId)
  if (now === epoch) return
  throw new WarehouseError(
    `Account ${accountId} of ${lake} was leased to another process meanwhile: epoch ${now} is after ${epoch}.`,
    { next: 'What this process read is not published; the other one goes on with the account.' },
  )
}

async function epochOf(lake: Lake, accountId: bigint): Promise<bigint | undefined> {
  const rows = await askPostgres(
    await locksOf(lake),
    `select epoch from ${LEASES} where account_id = ${accountId}`,
  )
  return rows[0]?.[0] as bigint | undefined
}

/** By one process at a time. A role that may not make tables finds them made (deploy/lake-roles.sql). */
export async function makeTable(lake: Lake, table: string, columns: string): Promise<void> {
  const writer = await locksOf(lake)
  const isThere = async () => (await askPostgres(writer, `select to_regclass('${table}')::text`))[0]?.[0]
  if ((await isThere()) !== null) return
  const lock = await lockPublishing(lake)
  try {
    if ((await isThere()) === null) await tellPostgres(writer, `create table ${table} ${columns}`)
  } finally {
    await lock.release()
  }
}
