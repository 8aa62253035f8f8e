import { z } from 'zod'
import { type OperationName, operations } from '../contract/index.ts'
import type { Operation } from '../contract/operation.ts'
import { ConfigError, ContractError, unknownName } from '../errors.ts'

/** Maximum number of issues in an error. Rows of a page often have the same fault, so more issues would not help. */
const ISSUES_MOST = 50

/** Returns the operation with this name. @throws ConfigError that suggests the most similar name */
export function operationNamed(name: string): Operation & { readonly name: OperationName } {
  if (Object.hasOwn(operations, name)) return operations[name as OperationName]
  throw new ConfigError(`Unknown operation "${name}".`, {
    next: unknownName(name, Object.keys(operations)),
  })
}

/** Validates a request and returns it without unknown fields. @throws ContractError if it is invalid */
export function checkRequest(operation: Operation, input: unknown): unknown {
  const next = 'Nothing was sent. The API document of the service lists the fields.'
  return check(operation, operation.request, input, { what: 'the request', next })
}

/** Validates the `data` of a response and returns it. @throws ContractError that lists the invalid fields */
export function checkResponse(operation: Operation, data: unknown, requestId: string): unknown {
  const next =
    'The service, or a proxy in front of it, violates its API document. Report the request id to its operators.'
  return check(operation, operation.tolerated, data, { what: 'the answer', next, requestId })
}

/** Returns the empty list or object that replaces missing or null `data` in a response to this operation. */
export function emptyData(operation: Operation): unknown {
  return operation.response instanceof z.ZodArray ? [] : {}
}

function check(
  operation: Operation,
  schema: z.ZodType,
  value: unknown,
  { what, next, requestId = '' }: { what: string; next: string; requestId?: string },
): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issues = result.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
  const first = issues[0]!
  const place = first.path === '' ? '' : `${first.path}: `
  const more = issues.length > 1 ? `, and ${issues.length - 1} more` : ''
  const quoted = requestId === '' ? '' : ` (request ${requestId})`
  throw new ContractError(
    `${operation.name}: ${what} does not fit the contract: ${place}${first.message}${more}${quoted}`,
    { operation: operation.name, issues: issues.slice(0, ISSUES_MOST), next },
  )
}
