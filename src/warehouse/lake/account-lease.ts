import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Lake } from '../../config/lake.ts'
import { WarehouseError } from '../../errors.ts'
import type { AccountLease } from '../leases.ts'
import { literal } from '../quote.ts'
import { askPostgres, lakeError, leasesOf, tellPostgres } from './catalogue.ts'
import { takeLease } from './take-lease.ts'

/** This process, as others see it. In a container that is started anew host and pid are those of the one before. */
export const PROCESS = `${hostname()} ${process.pid} ${randomUUID().slice(0, 8)}`

const LEASES = 'faultline_leases'

/** Leases an account; undefined while another process has it. Whoever had it before can publish no more. */
export async function leaseAccount(lake: Lake, accountId: bigint): Promise<AccountLease | undefined> {
  const lease = await takeLease(lake, `account ${accountId}`)
  if (lease === undefined) return undefined
  try {
    await tellPostgres(
      await leasesOf(lake),
      `insert into ${LEASES} (account_id, epoch, holder, taken_at)
        values (${accountId}, 1, ${literal(PROCESS)}, now())
        on conflict (account_id) do update set
          epoch = ${LEASES}.epoch + 1, holder = excluded.holder, taken_at = excluded.taken_at`,
    )
    return { ...lease, epoch: (await epochOf(lake, accountId))! }
  } catch (error) {
    await lease.release()
    throw lakeError(lake, error)
  }
}

/** Who leased an account last; for the error of whoever cannot have it. */
export async function leasedError(lake: Lake, accountId: bigint): Promise<WarehouseError> {
  const [row] = await askPostgres(
    await leasesOf(lake),
    `select holder, to_char(taken_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
      from ${LEASES} where account_id = ${accountId}`,
  )
  const [holder = 'another process', since = 'just now'] = row ?? []
  return new WarehouseError(`Account ${accountId} of ${lake} is leased by ${holder}, since ${since}.`, {
    next: 'Wait for it to end, or stop that process: its finished batches are kept.',
  })
}

/** @throws WarehouseError when the account was leased anew since */
export async function checkEpoch(lake: Lake, accountId: bigint, { epoch }: AccountLease): Promise<void> {
  const now = await epochOf(lake, accountId)
  if (now === epoch) return
  throw new WarehouseError(
    `Account ${accountId} of ${lake} was leased to another process meanwhile: epoch ${now} is after ${epoch}.`,
    { next: 'What this process read is not published; the other one goes on with the account.' },
  )
}

async function epochOf(lake: Lake, accountId: bigint): Promise<bigint | undefined> {
  const rows = await askPostgres(
    await leasesOf(lake),
    `select epoch from ${LEASES} where account_id = ${accountId}`,
  )
  return rows[0]?.[0] as bigint | undefined
}
