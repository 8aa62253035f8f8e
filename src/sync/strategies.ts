import { pages } from '../client/paging.ts'
import type { RequestOf } from '../contract/index.ts'
import { MEMBER_LIMIT_MAX, PAGE_LIMIT_MAX } from '../contract/limits.ts'
import type { ReadStrategy, Resource } from '../resources/resource.ts'
import { at } from '../warehouse/load/record-row.ts'
import { stamped } from './kept-record.ts'
import { boundedBy, type Page, pageOf, type ReadContext } from './page.ts'
import { planWindows } from './plan.ts'
import { byIds } from './read-ids.ts'
import { askedWindow, type Slice } from './slice.ts'
import { type PlanContext, readWindowState } from './state.ts'

/** How the resources of one kind of reading are planned and read. Nothing here knows a resource by name. */
interface Strategy<Kind extends ReadStrategy['kind']> {
  plan(
    context: PlanContext,
    resource: Resource,
    read: Extract<ReadStrategy, { kind: Kind }>,
  ): Promise<Slice[]>
  pages(
    context: ReadContext,
    resource: Resource,
    read: Extract<ReadStrategy, { kind: Kind }>,
    slice: Slice,
  ): AsyncIterable<Page>
}

/** Everything there is, by numbered pages: small resources, read completely every run. */
const numbered: Strategy<'pages'> = {
  plan: planAll,

  async *pages({ client, signal }, resource) {
    // Oldest first: a member who is added meanwhile does not move the others to another page.
    const body = { p: 1, limit: MEMBER_LIMIT_MAX, orderby: 'created_at' as const, asc: true }
    for await (const reply of pages(client.read, resource.operation, body as never, { signal }))
      yield pageOf(resource, reply)
  },
}

/** One request that returns everything; each record is stamped with the time of the run, so that it trends. */
const snapshot: Strategy<'snapshot'> = {
  plan: planAll,

  async *pages({ client, scope, signal }, resource, read) {
    const reply = await client.read(resource.operation, read.input as never, { signal })
    const page = pageOf(resource, reply)
    yield { ...page, items: page.items.map((item) => stamped(resource, item, scope.now)) }
  },
}

async function planAll(_context: unknown, resource: Resource): Promise<Slice[]> {
  return [{ resource: resource.table, reason: 'refresh', window: null, ids: null, cursor: null, requests: 1 }]
}

/** Cursor pages over windows of start times, oldest first, so that what is new meanwhile comes at the end. */
const windows: Strategy<'windows'> = {
  async plan(context, resource, read) {
    const state = await readWindowState(context, resource, read)
    return planWindows({ ...context, resource: resource.table, ...state })
  },

  async *pages({ client, signal }, resource, read, slice) {
    const window = askedWindow(slice.window!)
    const body = {
      start_time: window.start,
      end_time: window.end,
      asc: true,
      limit: PAGE_LIMIT_MAX,
      ...(slice.ids === null ? {} : { [read.idsParameter]: slice.ids }),
      ...(slice.onlyOpen ? read.openFilter : {}),
      ...(slice.cursor === null ? {} : { search_after_ctx: slice.cursor }),
    } as RequestOf<typeof resource.operation>
    const check = boundedBy(resource, read.start, window)
    for await (const reply of pages(client.read, resource.operation, body, { signal })) {
      const page = pageOf(resource, reply)
      const cursor = at(reply.data, ['search_after_ctx'])
      check(page.items, at(reply.data, ['total']) ?? null)
      yield { ...page, cursor: typeof cursor === 'string' ? cursor : null }
    }
  },
}

type Kind = ReadStrategy['kind']

const strategies: { [K in Kind]: Strategy<K> } = { windows, pages: numbered, ids: byIds, snapshot }

// The kind of the strategy and that of the resource are the same by construction; the compiler cannot follow it.
const strategyOf = (resource: Resource) => strategies[resource.read.kind] as Strategy<Kind>

/** What to read of a resource, and why. */
export function planResource(context: PlanContext, resource: Resource): Promise<Slice[]> {
  return strategyOf(resource).plan(context, resource, resource.read)
}

/** The pages of one slice, in order. */
export function pagesOf(context: ReadContext, resource: Resource, slice: Slice): AsyncIterable<Page> {
  return strategyOf(resource).pages(context, resource, resource.read, slice)
}
