import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hexId, splitList } from '../../src/contract/fields.ts'
import { incident as promised } from '../../src/contract/incident.ts'
import { operations } from '../../src/contract/index.ts'
import { int64, int64In, uint64, unixSeconds } from '../../src/contract/int64.ts'
import { parseJson, stringifyJson } from '../../src/contract/json.ts'
import { folderRuleStatus } from '../../src/contract/monit.ts'
import { tolerant } from '../../src/contract/tolerant.ts'

const incident = tolerant(promised)

/** The smallest record a reader accepts, with only the fields that identify and date an incident. */
const least = {
  incident_id: '0123456789abcdef01234567',
  account_id: 1,
  channel_id: 0,
  start_time: 1_700_000_000,
  end_time: 0,
  ack_time: 0,
  close_time: 0,
  created_at: 1_700_000_000,
  updated_at: 1_700_000_001,
  progress: 'Triggered',
  incident_severity: 'Critical',
  incident_status: 'Critical',
  title: '',
}

describe('an incident record', () => {
  test('requires only the fields that identify and date the incident', () => {
    expect(incident.parse(least)).toEqual(least)
    for (const field of Object.keys(least)) {
      const { [field as keyof typeof least]: _, ...rest } = least
      expect(
        incident.safeParse(rest).error?.issues.map((issue) => issue.path),
        field,
      ).toEqual([[field]])
    }
  })

  test('may have undocumented enum values', () => {
    const strange = {
      ...least,
      progress: 'Paused',
      incident_severity: 'Fatal',
      incident_status: '',
      frequency: 'seldom',
      group_method: 'z',
    }
    expect(incident.parse(strange)).toEqual(strange)
  })

  test('keeps undocumented fields at every level', () => {
    const more = {
      ...least,
      sla: { breached: true, at: [1, 2] },
      responders: [{ person_id: 1, assigned_at: 1, acknowledged_at: 0, mood: 'calm' }],
      assigned_to: { person_ids: [1], type: 'nobody-knows', channel: { deep: [] } },
    }
    expect(incident.parse(more)).toEqual(more)
  })

  test('may have null in every field that is not required', () => {
    const optional = Object.keys(promised.shape).filter((field) => !(field in least))
    expect(optional.length).toBeGreaterThan(40)
    const nulls = { ...least, ...Object.fromEntries(optional.map((field) => [field, null])) }
    expect(incident.parse(nulls)).toEqual(nulls)
  })

  test.each([
    ['incident_id', '0123456789abcdef0123456'],
    ['incident_id', '0123456789abcdef0123456g'],
    ['incident_id', 12],
    ['account_id', '1'],
    ['account_id', 1.5],
    ['account_id', 2n ** 63n],
    ['channel_id', Number.MAX_SAFE_INTEGER + 1],
    ['start_time', -1],
    ['start_time', 253_402_300_800],
    ['updated_at', null],
    ['title', null],
  ])('is rejected for %s = %s', (field, value) => {
    expect(incident.safeParse({ ...least, [field]: value }).error?.issues[0]?.path).toEqual([field])
  })

  test('is rejected with the path of an invalid responder', () => {
    const bad = {
      ...least,
      responders: [{ person_id: 1, assigned_at: 1, acknowledged_at: 0 }, { person_id: 'x' }],
    }
    expect(incident.safeParse(bad).error?.issues[0]?.path).toEqual(['responders', 1, 'person_id'])
  })
})

test('a folder of alert rules may omit its number of triggered rules', () => {
  const folder = { folder_id: 1, folder_name: 'all', rule_total: 6_000 }
  expect(tolerant(folderRuleStatus).parse(folder)).toEqual(folder)
})

test('the strict and the tolerant response schemas have the same fields and types', () => {
  for (const { response } of Object.values(operations))
    expect(JSON.stringify(shapeOf(tolerant(response)))).toBe(JSON.stringify(shapeOf(response)))
})

/** Names of fields with their types, ignoring whether they are required, nullable or enumerated. */
function shapeOf(schema: object): unknown {
  const { type, innerType, element, shape } = (schema as { def: Record<string, object | undefined> }).def
  if (innerType) return shapeOf(innerType)
  if (element) return [shapeOf(element)]
  if (shape) return Object.fromEntries(Object.entries(shape).map(([name, one]) => [name, shapeOf(one)]))
  return String(type) === 'enum' ? 'string' : type
}

describe('an int64', () => {
  const any = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  const beyond = fc.oneof(fc.bigInt({ min: 2n ** 63n }), fc.bigInt({ max: -(2n ** 63n) - 1n }))

  test('keeps every digit when it is read and written', () => {
    fc.assert(
      fc.property(any, (id) => {
        const text = `{"id":${id}}`
        const read = parseJson(text) as { id: unknown }
        expect(int64.parse(read.id)).toBe(read.id)
        expect(BigInt(read.id as number)).toBe(id)
        expect(stringifyJson(read)).toBe(text)
      }),
    )
  })

  test('is limited to the range of signed 64-bit integers', () => {
    fc.assert(fc.property(beyond, (id) => !int64.safeParse(id).success))
    for (const no of [
      1.5,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      2 ** 53,
      -(2 ** 53),
      '1',
      null,
      undefined,
      true,
      {},
    ])
      expect(int64.safeParse(no).success, String(no)).toBe(false)
  })

  test('with a custom range includes both bounds', () => {
    fc.assert(
      fc.property(any, any, any, (a, b, value) => {
        const [min, max] = a < b ? [a, b] : [b, a]
        expect(int64In(min, max).safeParse(value).success).toBe(value >= min && value <= max)
        expect(int64In(min, max).safeParse(min).success && int64In(min, max).safeParse(max).success).toBe(
          true,
        )
      }),
    )
    expect([0, 1n, -1, -1n].map((id) => uint64.safeParse(id).success)).toEqual([true, true, false, false])
  })

  test('that is a time may not be later than the year 9999', () => {
    const last = Date.UTC(9999, 11, 31, 23, 59, 59) / 1_000
    expect([0, last, BigInt(last), last + 1, -1].map((at) => unixSeconds.safeParse(at).success)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ])
  })
})

test('a hexadecimal id is 24 characters in upper or lower case', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEFgG-\n'), maxLength: 26 }),
      (id) => {
        const fits = id.length === 24 && [...id].every((one) => '0123456789abcdefABCDEF'.includes(one))
        expect(hexId.safeParse(id).success).toBe(fits)
      },
    ),
  )
})

test('a comma-separated list is split and trimmed, and empty words are dropped', () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[A-Za-z]+( [a-z]+)?$/)), (words) => {
      expect(splitList(words.map((word) => ` ${word}\t`).join(','))).toEqual(words)
    }),
  )
  expect(splitList(' , a,,')).toEqual(['a'])
})
