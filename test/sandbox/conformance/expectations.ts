import { expect } from 'vitest'
import type { Answer } from '../../support/sandbox.ts'

/** Types of fields, as named in the tables of the API document. */
const TYPES: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  int64: (value) => Number.isSafeInteger(value) || typeof value === 'bigint',
  'int64[]': (value) => Array.isArray(value) && value.every((one) => TYPES.int64!(one)),
  'string[]': (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'object[]': (value) => Array.isArray(value) && value.every((one) => TYPES.object!(one)),
  'object[] or null': (value) => value === null || TYPES['object[]']!(value),
  nullable: (value) => value !== undefined,
  hex24: (value) => typeof value === 'string' && /^[0-9a-fA-F]{24}$/.test(value),
  severity: (value) => ['Critical', 'Warning', 'Info', 'Ok'].includes(value as string),
  progress: (value) => ['Triggered', 'Processing', 'Closed'].includes(value as string),
  frequency: (value) => ['frequent', 'rare'].includes(value as string),
  group_method: (value) => ['i', 'p', 'n'].includes(value as string),
}

/** Checks that the record has every field in `fields` with its type. Each line is "type, colon, names". */
export function expectFields(record: Record<string, unknown>, fields: string): void {
  for (const line of fields.trim().split('\n')) {
    const [type, names] = line.split(':').map((part) => part.trim())
    for (const name of names!.split(' ')) {
      expect(TYPES[type!]!(record[name]), `${name} should be ${type}, is ${String(record[name])}`).toBe(true)
    }
  }
}

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
