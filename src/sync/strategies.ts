import type { ReadStrategy, Resource } from '../resources/resource.ts'
import { type Page, pageOf, type ReadContext } from './page.ts'
import { planWindows } from './plan.ts'
import { stamped } from './quarantined-record.ts'
import { byIds } from './read-ids.ts'
import { readNumberedPages } from './read-numbered.ts'
import { readWindowPages } from './read-windows.ts'
import type { Slice } from './slice.ts'
import { type PlanContext, readWindowState } from './state.ts'

type Kind = ReadStrategy['kind']

interface Strategy<K extends Kind, Read = Extract<ReadStrategy, { kind: K }>> {
  plan(context: PlanContext, resource: Resource, read: Read): Promise<Slice[]>
  pages(context: ReadContext, resource: Resource, read: Read, slice: Slice): AsyncIterable<Page>
}

/** Reads the current state of a list. Each record gets the time of the run, so that reports can show trends. */
const snapshot: Strategy<'snapshot'> = {
  plan: planAll,

  async *pages({ client, scope, signal }, resource, read) {
    const reply = await client.read(resource.operation, read.input as never, { signal })
    const page = pageOf(resource, reply)
    yield { ...page, items: page.items.map((item) => stamped(resource, item, scope.now)) }
  },
}

async function planAll(_context: unknown, resource: Resource): Promise<Slice[]> {
  return [wholeSlice(resource)]
}

export function wholeSlice({ table }: Resource): Slice {
  return { resource: table, reason: 'refresh', window: null, ids: null, cursor: null, requests: 1 }
}

const windows: Strategy<'windows'> = {
  async plan(context, resource, read) {
    const state = await readWindowState(context, resource, read)
    return planWindows({ ...context, resource: resource.table, ...state })
  },
  pages: readWindowPages,
}

const strategies: { [K in Kind]: Strategy<K> } = {
  windows,
  pages: { plan: planAll, pages: readNumberedPages },
  ids: byIds,
  snapshot,
}

// Cast, because the compiler cannot tell that the strategy has the same kind as the resource.
const strategyOf = (resource: Resource) => strategies[resource.read.kind] as Strategy<Kind>

export function planResource(context: PlanContext, resource: Resource): Promise<Slice[]> {
  return strategyOf(resource).plan(context, resource, resource.read)
}

export function pagesOf(context: ReadContext, resource: Resource, slice: Slice): AsyncIterable<Page> {
  return strategyOf(resource).pages(context, resource, resource.read, slice)
}
