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

/**
 * The requested ids (`checked`). The service does not have those in `missing`, and denies this key those in `denied`.
 */
export interface CheckedIds {
  readonly checked: readonly string[]
  readonly missing: readonly string[]
  readonly denied: readonly string[]
}

export interface Page extends Partial<CheckedIds> {
  readonly items: readonly unknown[]
  readonly requestId: string
  /** Position after this page. Null if reading cannot be resumed there. */
  readonly cursor: string | null
  /** The service's clock when it responded, milliseconds since the epoch. */
  readonly serviceTime: number | null
  /** Number of all matching records, according to the service. */
  readonly total: number | null
  /** Records that could not be read. The next run requests them again. */
  readonly refused?: readonly RefusedRecord[]
}

export interface RefusedRecord {
  /** The id of the record. If it is unknown, the position of the record in the list. */
  readonly id: string
  /** The reason must be equal in every run, because quarantine stores records with different reasons separately. */
  readonly reason: string
}

export function emptyPage(requestId: string): Page {
  return { items: [], requestId, serviceTime: null, cursor: null, total: null }
}

/**
 * Returns a page with one unreadable record. `place` is the record's start in Unix seconds, or its number in the list.
 */
export function unreadablePage(place: number, error: ContractError): Page {
  return { ...emptyPage(''), refused: [{ id: `${UNREADABLE}${place}`, reason: unreadableReason(error) }] }
}

export function unreadableReason({ issues: [issue] }: ContractError): string {
  return `the answer could not be read: ${issue?.message ?? 'unknown'}`
}

/** A record that could not be read has no id. This prefix and the record's position replace the id. */
export const UNREADABLE = 'unreadable at '

/** Converts a response to a page, without a cursor. @throws ContractError if the response has no list of records */
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

function itemsOf(resource: Resource, data: unknown, requestId: string): readonly unknown[] {
  if (resource.items.length === 0) return Array.isArray(data) ? data : [data]
  const items = at(data, resource.items)
  if (Array.isArray(items)) return items
  // Some services omit an empty list or send null. The total shows whether records are missing.
  if (items === null || (items === undefined && isCount(at(data, ['total'])))) return []
  throw notAList(resource, requestId)
}

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
