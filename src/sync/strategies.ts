import type { ReadStrategy, Resource } from '../resources/resource.ts'
import type { PageReader } from '../warehouse/stage/bytes/read-page.ts'
import { byIds } from './read-ids.ts'
import { wholePages } from './read-pages.ts'
import { snapshot } from './read-snapshot.ts'
import { windows } from './read-windows.ts'
import type { Slice } from './slice.ts'
import type { Page, PlanContext, ReadContext, Strategy } from './strategy.ts'

type Kind = ReadStrategy['kind']

const strategies: { [K in Kind]: Strategy<K> } = { windows, pages: wholePages, ids: byIds, snapshot }

// The kind of the strategy and that of the resource are the same by construction; the compiler cannot follow it.
const strategyOf = (resource: Resource) => strategies[resource.read.kind] as Strategy<Kind>

/** What to read of a resource, and why. */
export function planResource(context: PlanContext, resource: Resource): Promise<Slice[]> {
  return strategyOf(resource).plan(context, resource, resource.read)
}

/** The pages of one slice, in order. */
export function pagesOf(
  context: ReadContext,
  resource: Resource,
  slice: Slice,
  take?: PageReader,
): AsyncIterable<Page> {
  return strategyOf(resource).pages(context, resource, resource.read, slice, take)
}
