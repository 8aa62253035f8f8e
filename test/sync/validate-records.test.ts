import { expect, test } from 'vitest'
import { parseJson } from '../../src/contract/json.ts'
import { ContractError } from '../../src/errors.ts'
import { channels } from '../../src/resources/channels.ts'
import { folderRuleStatus } from '../../src/resources/folder-rule-status.ts'
import { incidents } from '../../src/resources/incidents.ts'
import type { Resource } from '../../src/resources/resource.ts'
import { pageOf } from '../../src/sync/page.ts'
import { isTruncated } from '../../src/sync/quarantined-record.ts'
import { createValidator } from '../../src/sync/validate-records.ts'
import { incident } from '../support/service.ts'

const validate = createValidator(incidents)

test('an invalid record is quarantined unchanged, and the other records of its page are accepted', () => {
  const bad = { ...incident(2), start_time: -1, account_id: 2n ** 60n, responders: [] }
  const worse = { ...incident(4), responders: [{ person_id: 1, assigned_at: 1, acknowledged_at: 'soon' }] }
  const { accepted, rejected } = validate([incident(1), bad, incident(3), worse, null, 'text', [], 7n])
  expect(accepted.map((row) => row.incident_id)).toEqual([incident(1).incident_id, incident(3).incident_id])
  expect(rejected.map(({ path }) => path)).toEqual([
    'start_time',
    'responders.0.acknowledged_at',
    '',
    '',
    '',
    '',
  ])
  expect(parseJson(rejected[0]!.payload)).toEqual(bad)
  expect(rejected[0]!.reason).toMatch(/from 0 to/)
  expect(rejected.slice(2).map(({ payload }) => payload)).toEqual(['null', '"text"', '[]', '7'])
})

test('undocumented fields are stored, and reported once per page', () => {
  const { accepted, unknown } = validate([
    { ...incident(1), mood: 'calm' },
    {
      ...incident(2),
      mood: 'tense',
      _extra: 'the service’s own',
      responders: [{ person_id: 1, assigned_at: 1, acknowledged_at: 0, x: 1 }],
    },
    incident(3),
  ])
  expect(accepted.map((row) => row._extra)).toEqual([
    { mood: 'calm' },
    { mood: 'tense', _extra: 'the service’s own', responders: [{ x: 1 }] },
    undefined,
  ])
  expect([...unknown].sort()).toEqual(['_extra', 'mood', 'responders.x'])
})

test('records are rejected once all pages together have more than 100 undocumented fields', () => {
  const validateAll = createValidator(incidents)
  const page = (count: number) =>
    [0, 1, 2].map((row) => ({ ...incident(count * 3 + row), [`f_${count}_${row}`]: 1 }))
  for (let count = 0; count < 33; count++) expect(validateAll(page(count)).accepted.length).toBe(3)
  expect(() => validateAll(page(33))).toThrow(/more than 100 undocumented fields/)
})

test('a record nested too deeply to be written is quarantined without its deepest part, and remains invalid', () => {
  const nested = (levels: number) => parseJson(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)
  for (const levels of [5_000, 200_000]) {
    const bad = { ...incident(2), labels: nested(levels) }
    const { accepted, rejected } = validate([incident(1), bad, [bad]])
    expect(accepted).toHaveLength(1)
    expect(rejected.map(({ reason }) => reason)).toEqual(Array(2).fill('nested deeper than 500 levels'))
    expect(rejected[0]!.key).toBe(incident(2).incident_id)
    const kept = rejected.map(({ payload }) => parseJson(payload))
    expect(kept[0]).toMatchObject(incident(2))
    expect(validate(kept).rejected).toEqual(rejected)
  }
  expect(validate([{ ...incident(1), labels: nested(499) }]).rejected).toEqual([])
})

test('a record too large for the quarantine is truncated, but keeps its key', () => {
  const long = 'x'.repeat(1_000_000)
  const bad = (end: string) => ({
    ...incident(2),
    start_time: 'soon',
    description: `jane@company.example ${long}${end}`,
    labels: { [long]: 1 },
  })
  const { rejected } = validate([bad('a'), bad('b'), { ...incident(3), incident_id: long }])
  const [first, second, third] = rejected
  expect(first!.key).toBe(incident(2).incident_id)
  const kept = parseJson(first!.payload)
  expect(kept).toMatchObject({
    incident_id: incident(2).incident_id,
    start_time: 'soon',
    description: 'jane@company.example …',
    title: 'incident 2',
  })
  expect(isTruncated(kept)).toBe(true)
  expect(second!.payload).not.toBe(first!.payload)
  expect(third!.key).toMatch(/^sha256:[0-9a-f]{64}$/)
  for (const { payload, path } of rejected) expect(payload.length + path.length).toBeLessThan(40_000)
  const fits = { ...incident(4), description: long, [long]: 1 }
  const { accepted, unknown } = validate([fits])
  expect(accepted).toHaveLength(1)
  expect([...unknown][0]).toHaveLength(301)
  expect(isTruncated(fits)).toBe(false)
})

test('records are read from the field of the response that the resource defines', () => {
  const itemsOf = (resource: Resource, data: unknown) =>
    pageOf(resource, { data, requestId: 'r-1', bytes: 0, serviceTime: null }).items
  expect(itemsOf(incidents, { items: [1, 2] })).toEqual([1, 2])
  expect(itemsOf(channels, { channel_id: 1 })).toEqual([{ channel_id: 1 }])
  expect(itemsOf(folderRuleStatus, [{ folder_id: 1 }])).toEqual([{ folder_id: 1 }])
  expect(itemsOf(incidents, { items: null })).toEqual([])
  expect(itemsOf(incidents, { total: 0 })).toEqual([])
  for (const data of [null, {}, { items: {} }, 'text', []]) {
    expect(() => itemsOf(incidents, data)).toThrow(ContractError)
    expect(() => itemsOf(incidents, data)).toThrow(
      'incident/list: the answer does not fit the contract: items: expected a list (request r-1)',
    )
  }
})
