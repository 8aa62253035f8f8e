import type { Client } from '../client/client.ts'
import { checkRows } from '../client/paging.ts'
import { ServiceError } from '../errors.ts'
import type { ReadStrategy, Resource } from '../resources/resource.ts'
import { at, pathOf } from '../warehouse/load/record-row.ts'
import { type Page, pageOf, type ReadContext } from './page.ts'
import type { Slice } from './slice.ts'
import { dueIds, type PlanContext } from './state.ts'

type ByIds = Extract<ReadStrategy, { kind: 'ids' }>

/** Requests of one slice: enough of them to be worth a slice, few enough that several slices go side by side. */
const REQUESTS_A_SLICE = 25

/** Records that can only be read by id: the ids come from a table that was read before. */
export const byIds = {
  async plan(context: PlanContext, resource: Resource, read: ByIds): Promise<Slice[]> {
    const ids = await dueIds(context, resource, read)
    const size = read.batch * REQUESTS_A_SLICE
    return chunks(ids, size).map(
      (some): Slice => ({
        resource: resource.table,
        reason: 'refresh',
        window: null,
        ids: some,
        cursor: null,
        requests: Math.ceil(some.length / read.batch),
      }),
    )
  },

  async *pages(
    { client, signal }: ReadContext,
    resource: Resource,
    read: ByIds,
    slice: Slice,
  ): AsyncGenerator<Page> {
    for (const ids of chunks(slice.ids ?? [], read.batch))
      yield await readIds(client, resource, read, ids, signal)
  },
}

async function readIds(
  client: Client,
  resource: Resource,
  read: ByIds,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Page> {
  const values = ids.map((id) => wireId(resource, id))
  const body = { [read.parameter]: read.batch === 1 ? values[0] : values }
  try {
    const reply = await client.read(resource.operation, body as never, { signal })
    const page = pageOf(resource, reply)
    checkRows(resource.operation, page.items, ids.length)
    const path = pathOf(resource, resource.key[0]!)
    const found = new Set(page.items.map((item) => String(at(item, path))))
    return { ...page, checked: ids, missing: ids.filter((id) => !found.has(id)) }
  } catch (error) {
    if (!isAbout(error, ids)) throw error
    return {
      // What is refused is no record: it waits in quarantine under its id, and the others are read.
      items: error.code === REFUSED ? [{ refused: error.message }] : [],
      requestId: error.requestId,
      serviceTime: null,
      cursor: null,
      total: null,
      checked: ids,
      missing: error.code === REFUSED ? [] : ids,
    }
  }
}

/** What a service answers to an id that it takes for none. */
const REFUSED = 'InvalidParameter'

/** The service says that the entity is gone, or that this one id is none: a fact to keep, not a failure. */
function isAbout(error: unknown, ids: readonly string[]): error is ServiceError {
  if (!(error instanceof ServiceError)) return false
  return error.code === 'ResourceNotFound' || (error.code === REFUSED && ids.length === 1)
}

/** The id as the request wants it: a number where the key is one, with every digit. */
function wireId(resource: Resource, id: string): string | number | bigint {
  const column = resource.columns.find((one) => one.name === resource.key[0])
  if (column?.type !== 'BIGINT') return id
  const number = Number(id)
  return Number.isSafeInteger(number) ? number : BigInt(id)
}

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  const parts: Item[][] = []
  for (let start = 0; start < items.length; start += size) parts.push(items.slice(start, start + size))
  return parts
}
