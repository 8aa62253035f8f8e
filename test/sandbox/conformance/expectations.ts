import { expect } from 'vitest'
import type { Answer } from '../../support/sandbox.ts'

/** Checks the success envelope and returns its data. */
export function dataOf({ status, body, headers }: Answer) {
  expect([status, body.error]).toEqual([200, undefined])
  expect(Object.keys(body).sort()).toEqual(['data', 'request_id'])
  expect(headers.get('Service-Request-Id')).toBe(body.request_id)
  return body.data
}

/** Checks the failure envelope, its status and code. `field` is named in the message. */
export function expectFailure(
  { status, body, headers }: Answer,
  wantStatus: number,
  code: string,
  field?: string,
): void {
  expect([status, body.error?.code, body.error?.message]).toEqual([wantStatus, code, expect.any(String)])
  expect(Object.keys(body).sort()).toEqual(['error', 'request_id'])
  expect(Object.keys(body.error).sort()).toEqual(['code', 'message'])
  expect(headers.get('Service-Request-Id')).toBe(body.request_id)
  if (field !== undefined) expect(body.error.message).toBe(`The specified parameter ${field} is not valid.`)
}
