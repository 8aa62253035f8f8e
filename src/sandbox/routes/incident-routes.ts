import { PAGE_DEPTH_MAX } from '../../contract/assumptions.ts'
import { PAGE_LIMIT_DEFAULT } from '../../contract/limits.ts'
import { invalidParameter, notFound, Page } from '../responses.ts'
import { compileFilters, isGiven, isOnlyOpen } from '../store/incident-filter.ts'
import { type ListQuery, listIncidents, readCursor, writeCursor } from '../store/list-incidents.ts'
import type { Handlers } from './handler.ts'

const HEX_ID = /^[0-9a-f]{24}$/i

export const incidentHandlers: Handlers<'incident'> = {
  'incident/list'(request, call) {
    const limit = Number(request.limit ?? 0) || PAGE_LIMIT_DEFAULT
    const keyword = request.query?.trim() ?? ''
    // A keyword that looks like an id selects the incident with that id.
    const isLookup = HEX_ID.test(keyword)
    const ids = isGiven(request.incident_ids) ? request.incident_ids : undefined
    const query: ListQuery = {
      startTime: Number(request.start_time),
      endTime: Number(request.end_time),
      asc: request.asc === true,
      onlyOpen: isOnlyOpen(request.progress),
      tests: compileFilters({ ...request, query: isLookup ? '' : keyword }, call),
      incidentIds: isLookup ? both(ids, keyword) : ids,
      limit,
      from: positionOf(request.search_after_ctx, Number(request.p ?? 0) || 1, limit),
    }
    const { incidents } = call.world
    const { indexes, total, hasNext } = listIncidents(incidents, query)
    const last = indexes.at(-1)
    const cursor =
      hasNext && last !== undefined
        ? writeCursor({ startTime: incidents.startOf(last), incidentId: incidents.idOf(last) })
        : undefined
    return new Page(indexes.map(incidents.json), total, hasNext, cursor)
  },

  'incident/comment'({ incident_ids }, call) {
    const { incidents } = call.world
    for (const id of incident_ids) {
      const index = incidents.find(id)
      if (index === undefined || !incidents.isListed(index)) throw notFound(`incident ${id}`)
    }
    // No operation reads comments, so they are stored only in the journal.
    return () => ({})
  },

  'incident/post-mortem/info'({ post_mortem_id }, call) {
    // Clients can send hexadecimal ids in upper case.
    const { world } = call
    const report = world.postMortem(post_mortem_id) ?? world.postMortem(post_mortem_id.toLowerCase())
    if (report === undefined) throw notFound(`post-mortem ${post_mortem_id}`)
    return report
  },
}

/** Returns the position at which a page starts. A cursor takes precedence over a page number. */
function positionOf(cursor: string | null | undefined, page: number, limit: number): ListQuery['from'] {
  if (cursor !== null && cursor !== undefined && cursor !== '') {
    const after = readCursor(cursor)
    if (after === undefined) throw invalidParameter('search_after_ctx')
    return { after }
  }
  if (page * limit > PAGE_DEPTH_MAX) throw invalidParameter('p')
  return { skip: (page - 1) * limit }
}

function both(ids: readonly string[] | undefined, id: string): string[] {
  return ids === undefined || ids.some((one) => one.toLowerCase() === id.toLowerCase()) ? [id] : []
}
