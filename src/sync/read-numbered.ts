import { pages } from '../client/paging.ts'
import { ContractError, FaultlineError } from '../errors.ts'
import type { Resource } from '../resources/resource.ts'
import { at } from '../warehouse/load/record-row.ts'
import { type Page, pageOf, type ReadContext, unreadablePage } from './page.ts'
import { createPageSize } from './page-size.ts'

/** Maximum number of unreadable records in a list. If there are more, the service itself is at fault. */
const UNREADABLE_MOST = 3

/** Reads a list in numbered pages, smaller ones after a failure. A single unreadable row becomes a refused record. */
export async function* readNumberedPages(context: ReadContext, resource: Resource): AsyncGenerator<Page> {
  const { client, signal } = context
  const size = createPageSize()
  let offset = 0
  let total: number | null = null
  let unreadable = 0
  while (total === null || offset < total) {
    // Requests the oldest members first, so that a member who is added during the read does not move others to another
    // page.
    const order = { orderby: 'created_at' as const, asc: true }
    const body = { p: offset / size.rows + 1, limit: size.rows, ...order } as never
    try {
      const canShrink = size.rows > 1
      for await (const reply of pages(client.read, resource.operation, body, { signal, canShrink })) {
        const page = pageOf(resource, reply)
        total = page.total
        offset += Number(at(reply.data, ['limit'])) || size.rows
        const isGrown = size.grow(offset)
        yield page
        if (isGrown) break
        if (page.items.length === 0) return
      }
    } catch (error) {
      if (!(error instanceof FaultlineError && error.smallerMayWork)) throw error
      let isSmaller = size.shrink(!(error instanceof ContractError))
      while (isSmaller && offset % size.rows !== 0) isSmaller = size.shrink(false)
      if (isSmaller) continue
      if (!(error instanceof ContractError) || ++unreadable > UNREADABLE_MOST) throw error
      yield unreadablePage(offset, error)
      offset += 1
    }
  }
}
