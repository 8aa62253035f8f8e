import type { Client } from '../client/client.ts'
import { SAFE_LIST_WINDOW_S } from '../contract/assumptions.ts'
import { RATE_LIMITS } from '../contract/limits.ts'
import type { Effects } from '../effects.ts'
import { ConfigError, ServiceError } from '../errors.ts'
import { at } from '../warehouse/load/record-row.ts'

/** A wrong address should show soon; after an outage the schedule's next run catches up. */
const CONNECT_RETRY_MS = 10_000

/** What has to be known of the service before anything is read. */
interface Probed {
  /** The service's clock, Unix seconds; the local one where the service does not say. */
  readonly now: number
  /** The account of the key. */
  readonly accountId: bigint
  /** From asking to the answer, milliseconds. */
  readonly roundTripMs: number
}

interface ProbeOptions {
  readonly client: Client
  readonly effects: Pick<Effects, 'now'>
  readonly signal: AbortSignal
  /** The account in the configuration: for a service that does not send it, and to check one that does. */
  readonly accountId?: bigint | undefined
}

/** Records that say whose key it is: one alone may be a guest's, or broken. */
const SAMPLE_ROWS = 20

/**
 * Asks the service for a few members: proves that it answers and accepts the key, and gives its clock and the account of the key.
 * Incidents are asked for too if the members do not agree with each other or with the configuration, if there are fewer than two, or if
 * the key may not list them. Records are not validated: that is the business of the sync.
 * @throws what the client throws for a wrong key or an unreachable service; ConfigError if the account stays unknown, or is another
 * than that of the configuration
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

/** The accounts of the records in an answer, one for each; guests from elsewhere and records without an account do not count. */
function ownersOf(data: unknown): bigint[] {
  const items = at(data, ['items'])
  return (Array.isArray(items) ? items : []).flatMap((item) => {
    const owner = at(item, ['account_id'])
    const isId = typeof owner === 'bigint' || (typeof owner === 'number' && Number.isSafeInteger(owner))
    return isId && BigInt(owner) > 0n && at(item, ['is_external']) !== true ? [BigInt(owner)] : []
  })
}

/** The account that most records belong to; undefined if there are none, or if two have as many. */
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
      {
        next: 'Use the key of that account, or correct `accountId` in config.json.',
      },
    )
  }
  const account = configured ?? found
  if (account !== undefined) return account
  throw new ConfigError(
    owners.length === 0
      ? 'The account of the app key is unknown: it shows no member, and no incident of the last month.'
      : `The account of the app key is unknown: its members and incidents belong to ${[...new Set(owners)].join(' and ')}.`,
    {
      next: 'Set `accountId` in config.json. It is in the address of the account’s settings, and in every record.',
    },
  )
}

const LEAST = 8
const MOST = 32

/** The most requests in a millisecond that any limit lets through. */
const RATE = Math.max(...RATE_LIMITS.map(({ requests, windowMs }) => requests / windowMs))

/**
 * Default number of windows of an account to read side by side. The pages of a window come one after another, so it takes
 * one for each request of a round trip to use the limits; twice as many, since the last ones run out unevenly.
 * @param roundTripMs between asking the service and its answer, milliseconds
 */
export function windowsAtOnce(roundTripMs: number): number {
  return Math.min(MOST, Math.max(LEAST, Math.ceil(2 * RATE * roundTripMs)))
}
