import { ERROR_CODES, type ErrorCode, REQUEST_ID_HEADER } from './envelope.ts'
import type { JsonSchema } from './openapi-schema.ts'
import type { Operation } from './operation.ts'

const requestId: JsonSchema = { type: 'string', description: 'Quote it when you report a problem.' }

export const requestIdHeader = {
  [REQUEST_ID_HEADER]: { description: 'The request id of the body.', required: true, schema: requestId },
}

const headers = { [REQUEST_ID_HEADER]: { $ref: `#/components/headers/${REQUEST_ID_HEADER}` } }

/** The envelope of every error. Clients must accept unknown codes. */
export const failureSchema: JsonSchema = {
  type: 'object',
  required: ['request_id', 'error'],
  properties: {
    request_id: requestId,
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string', description: 'Machine-readable code.', examples: Object.keys(ERROR_CODES) },
        message: { type: 'string', description: 'Human-readable message. May name the invalid field.' },
      },
    },
  },
}

/** Returns the OpenAPI description of a successful response whose `data` has the schema at `dataRef`. */
export function success(dataRef: string): object {
  const schema = {
    type: 'object',
    required: ['request_id', 'data'],
    properties: { request_id: requestId, data: { $ref: dataRef } },
  }
  return { description: 'Done.', headers, content: { 'application/json': { schema } } }
}

/** Error statuses that a request with a valid path and method can get. */
const STATUSES = [400, 401, 403, 413, 429, 500] as const

export const failureResponses = Object.fromEntries(
  STATUSES.map((status) => [nameOf(status), errorResponse(status)]),
)

export function errorsOf({ permissions, method }: Operation): Record<number, object> {
  const possible = STATUSES.filter(
    (status) => (status !== 403 || permissions.length > 0) && (status !== 413 || method === 'POST'),
  )
  return Object.fromEntries(
    possible.map((status) => [status, { $ref: `#/components/responses/${nameOf(status)}` }]),
  )
}

function errorResponse(status: number): object {
  const wait = {
    'Retry-After': {
      description: 'Seconds to wait. May be missing.',
      schema: { type: 'integer', minimum: 1 },
    },
  }
  return {
    description: codesOf(status)
      .map((code) => `\`${code}\`: ${ERROR_CODES[code].message}`)
      .join('\n\n'),
    headers: status === ERROR_CODES.RequestTooFrequently.status ? { ...headers, ...wait } : headers,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
  }
}

function codesOf(status: number): ErrorCode[] {
  return (Object.keys(ERROR_CODES) as ErrorCode[]).filter((code) => ERROR_CODES[code].status === status)
}

function nameOf(status: number): string {
  return codesOf(status)[0]!
}
