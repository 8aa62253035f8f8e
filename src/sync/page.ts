import type { Client } from '../client/client.ts'
import { isCount } from '../client/paging.ts'
import type { Reply } from '../client/send.ts'
import { ContractError } from '../errors.ts'
import type { Resource } from '../resources/resource.ts'
import { at } from '../warehouse/load/record-row.ts'
import type { SyncScope } from './slice.ts'

export interface ReadContext {
  readonly client: Client
  readonly scope: SyncScope
  readonly signal: AbortSignal
  readonly idReader?: IdReader | undefined
}

/** Reads records by id, `batch` ids per request. @throws the service's error if every id is refused */
export interface IdReader {
  read(ids: readonly string[], batch: number): AsyncGenerator<Page>
}

/** Requested ids (`checked`), and which of them the service does not have or does not let this key read. */
export interface CheckedIds {
  readonly checked: readonly string[]
  readonly missing: readonly string[]
  readonly denied: readonly string[]
}

/** One answer of the service. */
export interface Page extends Partial<CheckedIds> {
  readonly items: readonly unknown[]
  readonly requestId: string
  /** Position after this page, or null if reading cannot be resumed there. */
  readonly cursor: string | null
  /** The service's clock when it answered, milliseconds since the epoch, or null if unknown. */
  readonly serviceTime: number | null
  /** Number of records according to the service, or null if it sent none. */
  readonly total: number | null
  /** Records that could not be read. The next run requests them again. */
  readonly refused?: readonly RefusedRecord[]
}

/** A record that the service refused or that could not be read. */
export interface RefusedRecord {
  /** Its id, or its position in the list of the resource. */
  readonly id: string
  /** The reason, without details that change from run to run. */
  readonly reason: string
}

/** Returns a page without records. */
export function emptyPage(requestId: string): Page {
  return { items: [], requestId, serviceTime: null, cursor: null, total: null }
}

/** Returns a page for one unreadable record. `place` is its start time in Unix seconds, or its number in the list. */
export function unreadablePage(place: number, error: ContractError): Page {
  return { ...emptyPage(''), refused: [{ id: `${UNREADABLE}${place}`, reason: unreadableReason(error) }] }
}

/** Returns why an answer could not be read, without details that change from run to run. */
export function unreadableReason({ issues: [issue] }: ContractError): string {
  return `the answer could not be read: ${issue?.message ?? 'unknown'}`
}

/** Prefix of the id of a record that is known only by its position in the list. */
export const UNREADABLE = 'unreadable at '

/** Converts an answer to a page, without a cursor. @throws ContractError if the answer has no list of records */
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

/** Returns the records at the resource's path, or `data` itself as a list or a single record. */
function itemsOf(resource: Resource, data: unknown, requestId: string): readonly unknown[] {
  if (resource.items.length === 0) return Array.isArray(data) ? data : [data]
  const items = at(data, resource.items)
  if (Array.isArray(items)) return items
  // Some services omit an empty list or send null. The total shows whether records are missing.
  if (items === null || (items === undefined && isCount(at(data, ['total'])))) return []
  throw notAList(resource, requestId)
}

/** Returns the error for an answer that contains no list of records. */
export function notAList(resource: Resource, requestId: string): ContractError {
  const path = resource.items.join('.')
  return new ContractError(
    `${resource.operation}: the answer does not fit the contract: ${path}: expected a list (request ${requestId})`,
    {
      operation: resource.operation,
      issues: [{ path, message: 'expected a list' }],
      next: 'Report the request id to the operators of the service. Nothing from this answer was stored.',
    },
  )
}
