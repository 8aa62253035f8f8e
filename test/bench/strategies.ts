import type { Client } from '../../dist/client/client.js'
import { pages } from '../../dist/client/paging.js'
import { SAFE_LIST_WINDOW_S } from '../../dist/contract/assumptions.js'
import { stringifyJson } from '../../dist/contract/json.js'

const LOOKBACK_S = 31 * 86_400

/** A copy of the service as records in text, by id. */
export type Copy = Map<string, string>

/** What a night of a strategy leaves: the copy that it holds from then on. */
export type Strategy = (client: Client, copy: Copy, since: number, now: number) => Promise<Copy>

/** Everything again every night: nothing is ever stale, and every night costs what the first did. */
export const fullRefresh: Strategy = (client, _, since, now) => readSpan(client, since, now)

/**
 * The last 31 days again every night, after a first night that reads everything. What a window no longer holds is
 * dropped, as far back as it reaches.
 */
export const lookbackOnly: Strategy = async (client, copy, since, now) => {
  if (copy.size === 0) return readSpan(client, since, now)
  const from = Math.max(since, now - LOOKBACK_S)
  const recent = await readSpan(client, from, now)
  const older = [...copy].filter(([, text]) => startOf(text) < from)
  return new Map([...older, ...recent])
}

/** All incidents that start in a window, by windows as long as the service allows. */
async function readSpan(client: Client, since: number, now: number): Promise<Copy> {
  const copy: Copy = new Map()
  for (let start = since; start < now; start += SAFE_LIST_WINDOW_S) {
    const window = { start_time: start, end_time: Math.min(now, start + SAFE_LIST_WINDOW_S) }
    for await (const { data } of pages(client.read, 'incident/list', { ...window, asc: true, limit: 100 })) {
      const { items } = data as { items: { incident_id: string }[] }
      for (const item of items) copy.set(item.incident_id, stringifyJson(item))
    }
  }
  return copy
}

/** When the incident of a record's text starts, Unix seconds. */
export function startOf(text: string): number {
  return Number(/"start_time":(\d+)/.exec(text)?.[1])
}
