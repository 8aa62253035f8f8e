import type { Client } from '../client/client.ts'
import { SAFE_LIST_WINDOW_S } from '../contract/assumptions.ts'
import { RATE_LIMITS } from '../contract/limits.ts'
import type { Effects } from '../effects.ts'
import { ConfigError, ServiceError } from '../errors.ts'
import { at } from '../warehouse/load/record-row.ts'

/** Maximum time to retry the connection. It is short, so that a wrong address is reported soon. */
const CONNECT_RETRY_MS = 10_000

interface Probed {
  /** Unix seconds by the service's clock, or by the local clock if the service sends no time. */
  readonly now: number
  readonly accountId: bigint
  readonly roundTripMs: number
}

interface ProbeOptions {
  readonly client: Client
  readonly effects: Pick<Effects, 'now'>
  readonly signal: AbortSignal
  /**
   * The account in the configuration. It is compared with the service's account, and used if the service returns none.
   */
  readonly accountId?: bigint | undefined
}

/**
 * Number of records to request. A single record would not suffice, because it could be invalid or belong to a guest.
 */
const SAMPLE_ROWS = 20

/**
 * Finds the key's account and the service's clock from a few members, and from incidents if members are ambiguous.
 * @throws what the client throws; ConfigError if the account is unknown or differs from the configuration
 */
export async function probe({ client, effects, signal, accountId }: ProbeOptions): Promise<Probed> {
  const options = { signal, connectRetryMs: CONNECT_RETRY_MS }
  const askedAt = effects.now()
  const members = await client.read('member/list', { p: 1, limit: SAMPLE_ROWS }, options).catch(unlessDenied)
  const roundTripMs = effects.now() - askedAt
  const clock = Math.floor((members?.serviceTime ?? effects.now()) / 1_000)
  let serviceTime = members?.serviceTime
  let owners = ownersOf(members?.data)
  const isKnown = accountId !== undefined && members !== null && owners.every((owner) => owner === accountId)
  if (!isKnown && (owners.length < 2 || accountId !== undefined || new Set(owners).size > 1)) {
    const window = { start_time: clock - SAFE_LIST_WINDOW_S, end_time: clock, limit: SAMPLE_ROWS }
    const asked = client.read('incident/list', window, options)
    const incidents = await (members === null ? asked : asked.catch(unlessDenied))
    owners = [...owners, ...ownersOf(incidents?.data)]
    serviceTime ??= incidents?.serviceTime
  }
  const now = Math.floor((serviceTime ?? effects.now()) / 1_000)
  return { now, accountId: accountOf(owners, accountId), roundTripMs }
}

function unlessDenied(error: unknown): null {
  if (error instanceof ServiceError && error.code === 'AccessDenied') return null
  throw error
}

/** Returns the accounts of the records. Skips guests from other accounts, and records without an account. */
function ownersOf(data: unknown): bigint[] {
  const items = at(data, ['items'])
  return (Array.isArray(items) ? items : []).flatMap((item) => {
    const owner = at(item, ['account_id'])
    const isId = typeof owner === 'bigint' || (typeof owner === 'number' && Number.isSafeInteger(owner))
    return isId && BigInt(owner) > 0n && at(item, ['is_external']) !== true ? [BigInt(owner)] : []
  })
}

/** Returns the most frequent account, or undefined if two accounts are equally frequent. */
function majorityOf(owners: readonly bigint[]): bigint | undefined {
  const counts = new Map<bigint, number>()
  for (const owner of owners) counts.set(owner, (counts.get(owner) ?? 0) + 1)
  const [first, second] = [...counts].sort(([, a], [, b]) => b - a)
  return first && first[1] !== second?.[1] ? first[0] : undefined
}

function accountOf(owners: readonly bigint[], configured: bigint | undefined): bigint {
  const found = majorityOf(owners)
  if (configured !== undefined && owners.length > 0 && found !== configured && !owners.includes(configured)) {
    throw new ConfigError(
      `The app key belongs to account ${found ?? owners[0]}, but the configuration says ${configured}.`,
      { next: 'Use the key of that account, or correct `accountId` in config.json.' },
    )
  }
  const account = configured ?? found
  if (account !== undefined) return account
  throw new ConfigError(
    owners.length === 0
      ? 'The account of the app key is unknown, because the service returned no members and no incidents of the last month.'
      : `The account of the app key is unknown: its members and incidents belong to ${[...new Set(owners)].join(' and ')}.`,
    {
      next: 'Set `accountId` in config.json. The id is part of the address of the account’s settings page, and of every record.',
    },
  )
}

const RATE = Math.max(...RATE_LIMITS.map(({ requests, windowMs }) => requests / windowMs))

/**
 * Returns how many windows to read in parallel, from 8 to 32. A window sends one request per round trip, so
 * `RATE × roundTripMs` windows reach the full rate. The factor 2 allows for windows that end early.
 */
export function windowsAtOnce(roundTripMs: number): number {
  return Math.min(32, Math.max(8, Math.ceil(2 * RATE * roundTripMs)))
}
