import { z } from 'zod'

/** Header that repeats the request id of the body. */
export const REQUEST_ID_HEADER = 'Service-Request-Id'

/** Query parameter that carries the key on every call. */
export const KEY_PARAMETER = 'app_key'

export const emptyPayload = z.looseObject({})

/** A response to a request that failed. `code` is for programs, and `message` for people. */
export const failureEnvelope = z.looseObject({
  request_id: z.string().default(''),
  error: z.looseObject({ code: z.string(), message: z.string().default('') }),
})

export const ERROR_CODES = {
  InvalidParameter: { status: 400, message: 'The specified parameter is not valid.' },
  Unauthorized: { status: 401, message: 'You are unauthorized.' },
  AccessDenied: { status: 403, message: 'Access Denied.' },
  RequestTooFrequently: { status: 429, message: 'Request too frequently.' },
  InternalError: {
    status: 500,
    message: 'We encountered an internal error, and it has been reported. Please try again later.',
  },
  ReferenceExist: { status: 400, message: 'The resource is still referenced.' },
  ResourceNotFound: { status: 400, message: 'The resource was not found.' },
  RouteNotFound: { status: 404, message: 'The path does not exist.' },
  MethodNotAllowed: { status: 405, message: 'The method is not allowed.' },
  InvalidContentType: { status: 400, message: 'The body must be JSON.' },
  EntityTooLarge: { status: 413, message: 'The body is too large.' },
} as const
export type ErrorCode = keyof typeof ERROR_CODES
