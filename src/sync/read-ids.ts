import type { Client } from '../client/client.ts'
import { checkRows } from '../client/paging.ts'
import { parseInteger } from '../contract/json.ts'
import type { ReadStrategy, Resource } from '../resources/resource.ts'
import { at, pathOf } from '../warehouse/load/record-row.ts'
import { type IdReader, type Page, pageOf, type ReadContext } from './page.ts'
import { createIdReader } from './refused-ids.ts'
import type { Slice } from './slice.ts'
import { dueIds, type PlanContext, recentIds } from './state.ts'

type ByIds = Extract<ReadStrategy, { kind: 'ids' }>

/** Requests in a slice. The number is small, so that several slices of a resource can be read in parallel. */
const REQUESTS_A_SLICE = 25

/** Reads records that can only be requested by id. The ids come from a table that was read earlier. */
export const byIds = {
  async plan(context: PlanContext, resource: Resource, read: ByIds): Promise<Slice[]> {
    const { together, alone } = await dueIds(context, resource, read)
    const slicesOf = (all: readonly string[], batch: number, isAlone: boolean) =>
      chunks(all, batch * REQUESTS_A_SLICE).map(
        (ids): Slice => ({
          resource: resource.table,
          reason: 'refresh',
          window: null,
          ids,
          isAlone,
          cursor: null,
          requests: Math.ceil(ids.length / batch),
        }),
      )
    return [...slicesOf(together, read.batch, false), ...slicesOf(alone, 1, true)]
  },

  pages(context: ReadContext, resource: Resource, read: ByIds, slice: Slice): AsyncIterable<Page> {
    const { idReader = idReaderOf(context, resource, read) } = context
    return idReader.read(slice.ids ?? [], slice.isAlone ? 1 : read.batch)
  },
}

/** Returns the reader of all slices of a resource. They share it, because it counts refusals of all slices together. */
export function sharedIdReader(context: ReadContext & { readonly plan: PlanContext }, resource: Resource) {
  const { read } = resource
  if (read.kind !== 'ids') return undefined
  return idReaderOf(context, resource, read, () => recentIds(context.plan, resource))
}

function idReaderOf(
  { client, signal }: ReadContext,
  resource: Resource,
  read: ByIds,
  known: () => Promise<readonly string[]> = async () => [],
): IdReader {
  return createIdReader((ids) => readIds(client, resource, read, ids, signal), known)
}

/** Reads records by id. @throws what the client throws */
export async function readIds(
  client: Client,
  resource: Resource,
  read: ByIds,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Page> {
  const values = ids.map((id) => wireId(resource, id))
  const body = { [read.parameter]: read.batch === 1 ? values[0] : values }
  const canShrink = ids.length > 1
  const page = pageOf(resource, await client.read(resource.operation, body as never, { signal, canShrink }))
  checkRows(resource.operation, page.items, ids.length)
  const path = pathOf(resource, resource.key[0]!)
  const found = new Set(page.items.map((item) => String(at(item, path)).toLowerCase()))
  return { ...page, checked: ids, missing: ids.filter((id) => !found.has(id.toLowerCase())) }
}

function wireId({ columns, key }: Resource, id: string): string | number | bigint {
  const column = columns.find((one) => one.name === key[0])
  return column?.type === 'BIGINT' ? parseInteger(id) : id
}

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  const parts: Item[][] = []
  for (let start = 0; start < items.length; start += size) parts.push(items.slice(start, start + size))
  return parts
}
