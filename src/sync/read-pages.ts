import { pages } from '../client/paging.ts'
import { MEMBER_LIMIT_MAX } from '../contract/limits.ts'
import { itemsOf } from './items.ts'
import type { Strategy } from './strategy.ts'

/** Everything there is, by numbered pages: small resources, read whole every run. */
export const wholePages: Strategy<'pages'> = {
  async plan(_context, resource) {
    return [{ resource: resource.table, reason: 'refresh', span: null, ids: null, cursor: null, requests: 1 }]
  },

  async *pages({ client, signal }, resource) {
    // Oldest first: a member who is added meanwhile does not move the others to another page.
    const body = { p: 1, limit: MEMBER_LIMIT_MAX, orderby: 'created_at' as const, asc: true }
    for await (const reply of pages(client.read, resource.operation, body as never, { signal })) {
      yield {
        items: itemsOf(resource, reply.data, reply.requestId),
        requestId: reply.requestId,
        cursor: null,
        total: null,
      }
    }
  },
}
