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
  /** The account as the configuration says it: for a service that does not send it, and to check one that does. */
  readonly accountId?: bigint | undefined
}

/**
 * Asks the service for one member: proves that it answers and takes the key, and gives its clock and the account of the key.
 * A key that may not list members, or an account without any, is asked for one incident instead.
 * @throws what the client throws for a wrong key, an unreachable service or an answer of a wrong shape; ConfigError when
 * the account stays unknown, or is another than the configuration says
 */
export async function probe({ client, effects, signal, accountId }: ProbeOptions): Promise<Probed> {
  const options = { signal, connectRetryMs: CONNECT_RETRY_MS }
  const askedAt = effects.now()
  const members = await client.call('member/list', { p: 1, limit: 1 }, options).catch(unlessDenied)
  const roundTripMs = effects.now() - askedAt
  const clock = Math.floor((members?.serviceTime ?? effects.now()) / 1_000)
  let serviceTime = members?.serviceTime
  let found: unknown = members?.data.items?.[0]?.account_id
  if (found === undefined && (members === null || accountId === undefined)) {
    const window = { start_time: clock - SAFE_LIST_WINDOW_S, end_time: clock, limit: 1 }
    // Not validated: a record that does not fit is the business of the sync.
    const asked = client.read('incident/list', window, options)
    const incidents = await (members === null ? asked : asked.catch(unlessDenied))
    found = at(incidents?.data, ['items', '0', 'account_id'])
    serviceTime ??= incidents?.serviceTime
  }
  return {
    now: Math.floor((serviceTime ?? effects.now()) / 1_000),
    accountId: agreed(
      typeof found === 'number' || typeof found === 'bigint' ? BigInt(found) : undefined,
      accountId,
    ),
    roundTripMs,
  }
}

function unlessDenied(error: unknown): null {
  if (error instanceof ServiceError && error.code === 'AccessDenied') return null
  throw error
}

function agreed(found: bigint | undefined, configured: bigint | undefined): bigint {
  if (found !== undefined && configured !== undefined && found !== configured) {
    throw new ConfigError(
      `The app key belongs to account ${found}, but the configuration says ${configured}.`,
      {
        next: 'Use the key of that account, or correct `accountId` in config.json.',
      },
    )
  }
  const account = found ?? configured
  if (account !== undefined) return account
  throw new ConfigError(
    'It is unknown which account the app key belongs to: it shows no member, and no incident of the last month.',
    {
      next: 'Set `accountId` in config.json; it stands in the address of the account’s settings and in every record.',
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
