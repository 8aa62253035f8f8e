import type { Client } from '../client/client.ts'
import { isCount } from '../client/paging.ts'
import type { Reply } from '../client/send.ts'
import { ContractError } from '../errors.ts'
import type { Resource } from '../resources/resource.ts'
import { at } from '../warehouse/load/record-row.ts'
import type { SyncScope } from './slice.ts'

/** What pages are read with. */
export interface ReadContext {
  readonly client: Client
  readonly scope: SyncScope
  readonly signal: AbortSignal
  /** Reads the ids of a resource, for all of its slices. */
  readonly idReader?: IdReader | undefined
}

/** Reads ids, `batch` of them in each request. @throws the refusal if the key or the service refuses everything */
export interface IdReader {
  read(ids: readonly string[], batch: number): AsyncGenerator<Page>
}

/** One answer of the service, as far as the load needs to know it. */
export interface Page {
  /** The records, not validated. */
  readonly items: readonly unknown[]
  readonly requestId: string
  /** Where reading goes on after this page; null when it cannot be resumed there. */
  readonly cursor: string | null
  /** The service's clock when it answered, milliseconds since the epoch; null where it does not say. */
  readonly serviceTime: number | null
  /** The number of records the service says there are, where it says so. */
  readonly total: number | null
  /** Ids that were asked for, found or not. */
  readonly checked?: readonly string[]
  /** Those of them that the service does not have. */
  readonly missing?: readonly string[]
  /** Those of them that the key may not read. */
  readonly denied?: readonly string[]
  /** Records that could not be read, which are asked for again. */
  readonly refused?: readonly RefusedRecord[]
}

/** A record that the service did not give, or that could not be read. */
export interface RefusedRecord {
  /** Its id, or where it lies in the list of the resource. */
  readonly id: string
  /** Why, without what differs from night to night. */
  readonly reason: string
}

/** A page without records. */
export function emptyPage(requestId: string): Page {
  return { items: [], requestId, serviceTime: null, cursor: null, total: null }
}

/** The page of a record whose answer cannot be read, by its place in the list: a start time in Unix seconds, or a number. */
export function unreadablePage(place: number, error: ContractError): Page {
  return { ...emptyPage(''), refused: [{ id: `${UNREADABLE}${place}`, reason: unreadableReason(error) }] }
}

/** Why an answer could not be read, without what differs from night to night. */
export function unreadableReason({ issues: [issue] }: ContractError): string {
  return `the answer could not be read: ${issue?.message ?? 'unknown'}`
}

/** How the id of a record begins that is known by its place in the list only. */
export const UNREADABLE = 'unreadable at '

/** The page of an answer that cannot be resumed, with the total it names. @throws ContractError when it holds no list of records */
export function pageOf(resource: Resource, { data, requestId, serviceTime }: Reply<unknown>): Page {
  const total = resource.items.length === 0 ? undefined : at(data, ['total'])
  return {
    items: itemsOf(resource, data, requestId),
    requestId,
    serviceTime,
    cursor: null,
    total: isCount(total) ? Number(total) : null,
  }
}

/** The records in an answer's data: the list at the resource's path, or `data` itself as a list or as the one record. */
function itemsOf(resource: Resource, data: unknown, requestId: string): readonly unknown[] {
  if (resource.items.length === 0) return Array.isArray(data) ? data : [data]
  const items = at(data, resource.items)
  if (Array.isArray(items)) return items
  // Services leave an empty list out, or send null; whether rows are missing then, the total shows.
  if (items === null || (items === undefined && isCount(at(data, ['total'])))) return []
  throw notAList(resource, requestId)
}

/** An answer without the list of records that it should hold. */
export function notAList(resource: Resource, requestId: string): ContractError {
  const path = resource.items.join('.')
  return new ContractError(
    `${resource.operation}: the answer does not fit the contract: ${path}: expected a list (request ${requestId})`,
    {
      operation: resource.operation,
      issues: [{ path, message: 'expected a list' }],
      next: 'Quote the request id to the service. Nothing of this answer was stored.',
    },
  )
}
