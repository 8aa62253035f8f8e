import { describe, expect, test } from 'vitest'
import { sampleOf, unknownFields } from '../../../src/cli/call/call-fields.ts'
import { operationList, operations } from '../../../src/contract/index.ts'
import { requestSchema } from '../../../src/contract/openapi-schema.ts'

const unknown = (name: keyof typeof operations, request: unknown) =>
  unknownFields(requestSchema(operations[name].request), request)

describe('an unknown field in an API request', () => {
  test('is reported with the closest known field name', () => {
    expect(unknown('incident/list', { limt: 1, start_time: 2 })).toEqual([
      { name: 'limt', next: 'Did you mean "limit"?' },
    ])
    expect(unknown('incident/list', { constructor: 1 })).toMatchObject([{ name: 'constructor' }])
  })

  test('is not reported if it is nested in another field', () => {
    expect(unknown('channel/create', { channel_name: 'a', group: { metod: 'i' } })).toEqual([])
  })

  test('is not reported if the operation accepts any field', () => {
    expect(unknown('monit/rule/update/fields', { ids: [1], fields: ['labels'], labels: { a: 'b' } })).toEqual(
      [],
    )
  })

  test.each(operationList)('does not occur in the example request of $name', ({ request }) => {
    const schema = requestSchema(request)
    expect(unknownFields(schema, sampleOf(schema))).toEqual([])
    const all = Object.fromEntries(Object.keys(schema.properties ?? {}).map((name) => [name, null]))
    expect(unknownFields(schema, all)).toEqual([])
  })
})
