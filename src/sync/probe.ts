import type { Client } from '../client/client.ts'
import type { Effects } from '../effects.ts'

/** A wrong address should be told soon; an outage of the service is met by the schedule's next run. */
const UNREACHED_MS = 10_000

/**
 * Asks the service for one member: proves that it is there and takes the key, and tells its clock.
 * @returns the service's time in Unix seconds; the local clock where the service does not say
 * @throws what the client throws for a wrong key, an unreachable service or an answer of a wrong shape
 */
export async function probe(
  client: Client,
  effects: Pick<Effects, 'now'>,
  signal: AbortSignal,
): Promise<number> {
  const reply = await client.call('member/list', { p: 1, limit: 1 }, { signal, unreachedMs: UNREACHED_MS })
  return Math.floor((reply.serviceTime ?? effects.now()) / 1_000)
}
