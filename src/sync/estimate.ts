import type { Client } from '../client/client.ts'
import { TOTAL_EXACT_BELOW } from '../contract/assumptions.ts'
import { PAGE_LIMIT_MAX } from '../contract/limits.ts'
import type { Resource } from '../resources/resource.ts'
import { at, pathOf } from '../warehouse/load/record-row.ts'
import type { Slice, SyncScope, Window } from './slice.ts'
import { pagesOf } from './strategies.ts'

/** Seconds that a sample covers: a full week, because load depends on the weekday. */
const LOOK_S = 7 * 86_400
const TRIES = 3

/**
 * Estimates the requests for windows that were never read, from a sample in the middle of each window.
 * @returns `following`: the number of requests for records whose ids these windows contain
 */
export async function estimate(
  context: { client: Client; scope: SyncScope; signal: AbortSignal },
  resources: readonly Resource[],
  slices: readonly Slice[],
): Promise<{ readonly slices: readonly Slice[]; readonly following: number }> {
  const seen = new Map<Resource, { records: number; items: unknown[] }>()
  const known = await Promise.all(
    slices.map(async (slice) => {
      const resource = resources.find(({ table }) => table === slice.resource)
      if (slice.reason !== 'backfill' || !slice.window || slice.cursor !== null || !resource) return slice
      const { count, items } = await look(context, resource, slice, slice.window)
      const before = seen.get(resource) ?? { records: 0, items: [] }
      seen.set(resource, { records: before.records + count, items: [...before.items, ...items] })
      return { ...slice, requests: Math.max(1, Math.ceil(count / PAGE_LIMIT_MAX)) }
    }),
  )
  const following = resources.map(({ read }) => {
    const from = read.kind === 'ids' ? [...seen].find(([{ table }]) => table === read.from.table) : undefined
    if (read.kind !== 'ids' || from === undefined) return 0
    const [resource, { records, items }] = from
    const path = pathOf(resource, read.from.column)
    const ids = items.map((item) => at(item, path)).filter(Boolean)
    const distinct = new Set(ids.map(String)).size
    // If most ids differ, more records would contain more ids. Otherwise, the sample contains nearly all ids.
    const all = distinct > ids.length / 2 ? (distinct * records) / items.length : distinct
    return Math.ceil(all / read.batch)
  })
  return { slices: known, following: following.reduce((sum, requests) => sum + requests, 0) }
}

async function look(
  context: Parameters<typeof pagesOf>[0],
  resource: Resource,
  slice: Slice,
  { start, end }: Window,
): Promise<{ count: number; items: readonly unknown[] }> {
  for (let seconds = LOOK_S, tries = 1; ; seconds /= 8, tries++) {
    const half = Math.max(1, Math.round(seconds / 2))
    const middle = Math.floor((start + end) / 2)
    const window = { start: Math.max(start, middle - half), end: Math.min(end, middle + half) }
    for await (const { items, total } of pagesOf(context, resource, { ...slice, window })) {
      const found = total ?? items.length
      if (found >= TOTAL_EXACT_BELOW && tries < TRIES) break
      return { count: (found * (end - start)) / (window.end - window.start), items }
    }
    if (tries === TRIES) return { count: 0, items: [] }
  }
}
