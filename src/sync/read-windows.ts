import { pages } from '../client/paging.ts'
import type { RequestOf } from '../contract/index.ts'
import { PAGE_LIMIT_MAX } from '../contract/limits.ts'
import { at } from '../warehouse/record.ts'
import { itemsOf } from './items.ts'
import { planWindows } from './plan.ts'
import { readWindowState } from './state.ts'
import type { Strategy } from './strategy.ts'

/** Cursor pages over windows of start times, oldest first, so that what is new meanwhile comes at the end. */
export const windows: Strategy<'windows'> = {
  async plan(context, resource, read) {
    const state = await readWindowState(context, resource, read)
    return planWindows({ ...context, resource: resource.table, ...state })
  },

  async *pages({ client, signal }, resource, read, slice, take) {
    const span = slice.span!
    const body = {
      start_time: span.start,
      end_time: span.end,
      asc: true,
      limit: PAGE_LIMIT_MAX,
      ...(slice.ids === null ? {} : { [read.idsParameter]: slice.ids }),
      ...(slice.onlyOpen ? read.openFilter : {}),
      ...(slice.cursor === null ? {} : { search_after_ctx: slice.cursor }),
    } as RequestOf<typeof resource.operation>
    for await (const reply of pages(client.read, resource.operation, body, { signal, take })) {
      const cursor = at(reply.data, ['search_after_ctx'])
      const total = at(reply.data, ['total'])
      yield {
        items: itemsOf(resource, reply.data, reply.requestId),
        taken: reply.bulk,
        requestId: reply.requestId,
        cursor: typeof cursor === 'string' ? cursor : null,
        total: total === undefined || total === null ? null : Number(total),
      }
    }
  },
}
