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
}

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
  const path = resource.items.join('.')
  throw new ContractError(
    `${resource.operation}: the answer does not fit the contract: ${path}: expected a list (request ${requestId})`,
    {
      operation: resource.operation,
      issues: [{ path, message: 'expected a list' }],
      next: 'Quote the request id to the service. Nothing of this answer was stored.',
    },
  )
}
