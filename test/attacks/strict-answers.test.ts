import { beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../src/contract/index.ts'
import { parseJson, stringifyJson } from '../../src/contract/json.ts'
import { openApiDocument } from '../../src/contract/openapi.ts'
import { tolerant } from '../../src/contract/tolerant.ts'
import { call, ROWS } from '../sandbox/conformance/operations.ts'
import { expectPromised } from '../support/contract-check.ts'
import { DAY, type Json, NOW, open } from '../support/sandbox.ts'

/** Every sandbox test checks its responses. These tests prove that the check notices missing fields and wrong values. */

/** The fields that the API document marks with R, in the order of its table. */
const ALWAYS_PRESENT =
  `incident_id account_id channel_id integration_id integration_ids integration_types dedup_key
  equals_md5 start_time end_time last_time ack_time close_time creator_id closer_id owner_id incident_status
  incident_severity progress title description ai_summary impact root_cause resolution num created_at updated_at
  snoozed_before group_method ever_muted labels fields assigned_to alert_cnt active_alert_cnt alert_event_cnt responders
  account_name account_locale account_time_zone channel_name channel_status detail_url silence_url post_mortem_id images
  manual_overrides`.split(/\s+/)
const ENUMS = {
  incident_status: ['Critical', 'Warning', 'Info', 'Ok'],
  incident_severity: ['Critical', 'Warning', 'Info', 'Ok'],
  progress: ['Triggered', 'Processing', 'Closed'],
  frequency: ['frequent', 'rare'],
  group_method: ['i', 'p', 'n'],
}

const document: Json = parseJson(stringifyJson(openApiDocument('http://127.0.0.1:9')))
const schemas: Json = document.components.schemas
const resolved = (schema: Json): Json => (schema.$ref ? schemas[schema.$ref.split('/').at(-1)] : schema)

const answers = new Map<string, Json>()
beforeAll(async () => {
  for (const row of ROWS) {
    const service = await open({ incidents: 400 })
    const { body } = await call(service, row, row.request(await service.control('world')))
    answers.set(row.path, body.data)
  }
})

/** Yields the path of every required field in a value, using the first element of lists. */
function* requiredPlaces(value: Json, given: Json, path: string[] = []): Generator<string[]> {
  const schema = resolved(given)
  if (Array.isArray(value)) {
    if (value.length > 0) yield* requiredPlaces(value[0], schema.items, [...path, '0'])
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const name of schema.required ?? []) yield [...path, name]
  for (const [name, field] of Object.entries<Json>(schema.properties ?? {})) {
    if (name in value) yield* requiredPlaces(value[name], field, [...path, name])
  }
}

function without(value: Json, path: readonly string[]): Json {
  const copy = parseJson(stringifyJson(value)) as Json
  const holder = path.slice(0, -1).reduce((part: Json, step) => part[step], copy)
  delete holder[path.at(-1)!]
  return copy
}

const dataSchema = (path: string, method: string): Json =>
  document.paths[path][method.toLowerCase()].responses[200].content['application/json'].schema.properties.data

test('the API document of the sandbox requires all 48 fields of an incident', () => {
  expect(ALWAYS_PRESENT.length).toBe(48)
  expect(schemas.Incident.required.toSorted()).toEqual(ALWAYS_PRESENT.toSorted())
  for (const [name, words] of Object.entries(ENUMS)) {
    expect([name, schemas.Incident.properties[name].enum]).toEqual([name, words])
  }
  const { labels, assigned_to } = schemas.Incident.properties
  expect(labels.additionalProperties).toEqual({ type: 'string' })
  expect(Object.keys(resolved(assigned_to).properties).sort()).toEqual(
    'assigned_at escalate_rule_id escalate_rule_name id layer_idx person_ids type'.split(' '),
  )
})

describe('an API response of the sandbox', () => {
  test.each(ROWS)('is rejected if any required field is missing: $path', ({ path, method }) => {
    const data = answers.get(path)
    expect(() => expectPromised(path, data)).not.toThrow()
    const places = [...requiredPlaces(data, dataSchema(path, method))]
    const unnoticed = places.filter((place) => {
      try {
        expectPromised(path, without(data, place))
        return true
      } catch {
        return false
      }
    })
    expect(unnoticed).toEqual([])
    if (path === '/incident/list') expect(places.length).toBeGreaterThan(3 + 48 + 6)
  })
})

describe('an incident in an API response', () => {
  test.each<[string, unknown]>([
    ['progress', 'Banana'],
    ['incident_severity', 'Fatal'],
    ['incident_status', ''],
    ['frequency', 'seldom'],
    ['group_method', 'z'],
    ['labels', { a: 1 }],
    ['labels', null],
    ['num', null],
    ['responders', null],
    ['integration_ids', ['x']],
    ['assigned_to', { person_ids: ['x'] }],
    ['assigned_to', []],
    ['images', 'none'],
    ['reporter_email', null],
    ['ever_muted', 0],
  ])('is rejected if %s has the undocumented value %j', (name, value) => {
    const page = parseJson(stringifyJson(answers.get('/incident/list'))) as Json
    page.items[0][name] = value
    expect(() => expectPromised('/incident/list', page)).toThrow(`items.0.${name}`)
    // The tolerant schema accepts any value of the right type, except in fields that identify or date the record.
    const read = tolerant(operations['incident/list'].response).safeParse(page)
    if (value === null || typeof value === 'string') expect(read.success).toBe(name !== 'images')
  })
})

test('the strict and the tolerant response schemas have the same fields and types', () => {
  for (const { response } of Object.values(operations)) {
    expect(JSON.stringify(shapeOf(tolerant(response)))).toBe(JSON.stringify(shapeOf(response)))
  }
})

/** Names of fields with their types, ignoring whether they are required, nullable or enumerated. */
function shapeOf(schema: Json): unknown {
  const { type, innerType, element, shape } = schema.def
  if (innerType) return shapeOf(innerType)
  if (element) return [shapeOf(element)]
  if (shape) return Object.fromEntries(Object.entries<Json>(shape).map(([name, one]) => [name, shapeOf(one)]))
  return type === 'enum' ? 'string' : type
}

test('sandbox incidents have the statuses, assignments and images that the API documents', async () => {
  const service = await open({ incidents: 6_000 })
  const rows = await service.truth()
  expect(rows.filter((row) => row.incident_status === 'Ok' && row.active_alert_cnt > 0)).toEqual([])
  const types = new Set(rows.map((row) => row.assigned_to.type))
  expect([...types].sort()).toEqual(['assign', 'escalate', 'reassign', 'reopen'])
  const withImages = rows.filter((row) => row.images !== null)
  expect(withImages.length).toBeGreaterThan(100)
  expect(withImages.length).toBeLessThan(rows.length / 5)
  for (const { images } of withImages) expect(images[0].src).toMatch(/^https:/)
})

test('a sandbox channel closes an incident once its alerts recover, unless automatic closing is disabled', async () => {
  const service = await open({ incidents: 6_000 })
  const channels = new Map<unknown, Json>()
  for (const channel of (await service.control('state')).channels) channels.set(channel.channel_id, channel)
  const seen = { itself: 0, byHand: 0 }
  for (let step = 0; step < 2; step++, await service.advance(2 * DAY)) {
    for (const row of await service.truth()) {
      if (row.end_time === 0) continue
      const isDisabled = channels.get(row.channel_id)?.disable_auto_close === true
      if (isDisabled) {
        // Before the alerts recovered, only a member may have closed the incident.
        if (row.progress === 'Closed' && row.close_time >= row.end_time) {
          expect([row.incident_id, row.closer_id]).not.toEqual([row.incident_id, 0])
          seen.byHand++
        }
      } else if (row.close_time === 0 || row.close_time >= row.end_time) {
        expect([row.incident_id, row.progress, row.close_time - row.end_time, row.closer_id]).toEqual([
          row.incident_id,
          'Closed',
          0,
          0,
        ])
        seen.itself++
      }
    }
  }
  expect(seen.itself).toBeGreaterThan(1_000)
  expect(seen.byHand).toBeGreaterThan(1_000)
  expect(service.now()).toBe(NOW + 4 * DAY)
})
