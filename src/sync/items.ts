import { ContractError } from '../errors.ts'
import type { Resource } from '../resources/resource.ts'
import { at } from '../warehouse/record.ts'

/**
 * The records in an answer's data: the list at the resource's path, or `data` itself as a list or as the one record.
 * @throws ContractError when there is no list where one should be
 */
export function itemsOf(resource: Resource, data: unknown, requestId: string): readonly unknown[] {
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
