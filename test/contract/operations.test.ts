import { describe, expect, test } from 'vitest'
import { ERROR_CODES, KEY_PARAMETER, REQUEST_ID_HEADER } from '../../src/contract/envelope.ts'
import { operationList, operations } from '../../src/contract/index.ts'
import { RATE_LIMITS } from '../../src/contract/limits.ts'

/** The endpoints and permissions of the API document, verbatim (method, path, permission, audit, effect). */
const documented = [
  ['POST', '/incident/list', ['incident view (on-call)'], 'not audited', 'reads'],
  ['POST', '/incident/comment', ['incident management (on-call)'], 'not audited', 'writes'],
  ['GET', '/incident/post-mortem/info', ['incident view (on-call)'], 'not audited', 'reads'],
  ['POST', '/alert/info', ['channel view (on-call)'], 'not audited', 'reads'],
  ['POST', '/channel/create', ['channel management (on-call)'], 'not audited', 'writes'],
  ['POST', '/channel/update', ['channel management (on-call)'], 'not audited', 'writes'],
  ['POST', '/channel/info', [], 'not audited', 'reads'],
  ['POST', '/channel/enable', ['channel management (on-call)'], 'not audited', 'writes'],
  ['POST', '/channel/unsubscribe/rule/enable', [], 'not audited', 'writes'],
  [
    'POST',
    '/schedule/infos',
    ['schedule view (on-call)', 'schedule management (on-call)'],
    'not audited',
    'reads',
  ],
  ['POST', '/calendar/create', ['service calendar management (on-call)'], 'not audited', 'writes'],
  ['POST', '/template/delete', ['template management (on-call)'], 'not audited', 'writes'],
  ['POST', '/monit/rule/update/fields', ['alert rule management (monit)'], 'audited', 'writes'],
  ['POST', '/monit/rule/delete', ['alert rule management (monit)'], 'audited', 'writes'],
  ['POST', '/monit/rule/status', ['alert rule management (monit)'], 'not audited', 'reads'],
  ['POST', '/role/permission/list', [], 'not audited', 'reads'],
  ['POST', '/role/member/revoke', ['role management (organization)'], 'audited', 'writes'],
  ['POST', '/role/disable', ['role management (organization)'], 'audited', 'writes'],
  ['POST', '/member/list', [], 'not audited', 'reads'],
  ['POST', '/team/infos', [], 'not audited', 'reads'],
] as const

describe('the API operations', () => {
  test('match the 20 operations in the API document', () => {
    expect(operationList.map((one) => one.path).sort()).toEqual(documented.map(([, path]) => path).sort())
    expect(Object.keys(operations)).toEqual(operationList.map((one) => one.name))
  })

  test.each(documented)(
    'have the documented permissions and effects: %s %s',
    (method, path, permissions, audit, effect) => {
      const name = path.slice(1) as keyof typeof operations
      expect(operations[name]).toMatchObject({
        name,
        path,
        method,
        permissions,
        audited: audit === 'audited',
        writes: effect === 'writes',
      })
      expect(operations[name].summary).toMatch(/^[A-Z].*\.$/)
    },
  )
})

test('the key parameter, request id header and rate limits match the API document', () => {
  expect(KEY_PARAMETER).toBe('app_key')
  expect(REQUEST_ID_HEADER).toBe('Service-Request-Id')
  expect(RATE_LIMITS).toEqual([
    { requests: 50, windowMs: 1_000 },
    { requests: 1_000, windowMs: 60_000 },
  ])
})

test.each([
  ['InvalidParameter', 400, 'The specified parameter is not valid.'],
  ['Unauthorized', 401, 'You are unauthorized.'],
  ['RequestTooFrequently', 429, 'Request too frequently.'],
  [
    'InternalError',
    500,
    'We encountered an internal error, and it has been reported. Please try again later.',
  ],
] as const)('the service error %s matches the API document', (code, status, message) => {
  expect(ERROR_CODES[code]).toEqual({ status, message })
})

test('partly documented service errors match the API document', () => {
  expect(ERROR_CODES.AccessDenied.message).toBe('Access Denied.')
  expect(ERROR_CODES.ReferenceExist.status).toBe(400)
})
