import { itemsOf } from './items.ts'
import type { Strategy } from './strategy.ts'

/** One request that returns everything; each record is stamped with the time of the run, so that it trends. */
export const snapshot: Strategy<'snapshot'> = {
  async plan(_context, resource) {
    return [{ resource: resource.table, reason: 'refresh', span: null, ids: null, cursor: null, requests: 1 }]
  },

  async *pages({ client, scope, signal }, resource, read) {
    const reply = await client.read(resource.operation, read.input as never, { signal })
    const items = itemsOf(resource, reply.data, reply.requestId)
    yield {
      items: items.map((item) => stamp(item, read.at, scope.now)),
      requestId: reply.requestId,
      cursor: null,
      total: null,
    }
  },
}

function stamp(item: unknown, field: string, now: number): unknown {
  return typeof item === 'object' && item !== null ? { ...item, [field]: now } : item
}
