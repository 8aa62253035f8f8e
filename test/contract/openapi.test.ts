import { describe, expect, test } from 'vitest'
import { operationList } from '../../src/contract/index.ts'
import { parseJson, stringifyJson } from '../../src/contract/json.ts'
import { openApiDocument } from '../../src/contract/openapi.ts'

// biome-ignore lint/suspicious/noExplicitAny: the document is looked into as any program that reads it would
type Json = any

const text = stringifyJson(openApiDocument('http://127.0.0.1:9'))
const document: Json = parseJson(text)
const described: [path: string, method: string, operation: Json][] = Object.entries<Json>(
  document.paths,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, one]) => [path, method, one] as [string, string, Json]),
)
const body = (path: string): Json => document.paths[path].post.requestBody.content['application/json'].schema

/** Every nested value, with its path of keys. */
function* walk(value: Json, path: string[] = []): Generator<[string[], Json]> {
  yield [path, value]
  if (typeof value !== 'object' || value === null) return
  for (const [key, part] of Object.entries(value)) yield* walk(part, [...path, key])
}

function resolve(ref: string): Json {
  return ref
    .replace(/^#\//, '')
    .split('/')
    .reduce((part: Json, key) => part?.[key], document)
}

describe('the OpenAPI document', () => {
  test('lists every operation with its path, method and a unique id', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.servers).toEqual([{ url: 'http://127.0.0.1:9' }])
    expect(described.map(([path, method]) => `${method.toUpperCase()} ${path}`)).toEqual(
      operationList.map((one) => `${one.method} ${one.path}`),
    )
    const ids = described.map(([, , one]) => one.operationId)
    expect(new Set(ids).size).toBe(20)
    expect(ids).toContain('incidentPostMortemInfo')
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/)
  })

  test('requires the app key in the query of every operation', () => {
    expect(document.security).toEqual([{ app_key: [] }])
    expect(document.components.securitySchemes.app_key).toMatchObject({
      type: 'apiKey',
      in: 'query',
      name: 'app_key',
    })
  })

  test('has no unresolved references and no keywords of standalone schemas', () => {
    const refs = [...walk(document)].filter(([path]) => path.at(-1) === '$ref').map(([, ref]) => ref)
    expect(refs.length).toBeGreaterThan(100)
    for (const ref of refs) expect(resolve(ref), ref).toBeTypeOf('object')
    for (const word of ['"$schema"', '"$defs"', '"$id"', '"__shared"', '"int64":']) {
      expect(text).not.toContain(word)
    }
  })

  test.each(described)(
    'describes the response and its request id for every status of %s',
    (path, method, one) => {
      const permissions = operationList.find((each) => each.path === path)!.permissions
      expect(one['x-permissions']).toEqual(permissions)
      for (const permission of permissions) expect(one.description).toContain(permission)
      const always = ['200', '400', '401', '429', '500']
      const also = [...(permissions.length > 0 ? ['403'] : []), ...(method === 'post' ? ['413'] : [])]
      expect(Object.keys(one.responses).sort()).toEqual([...always, ...also].sort())
      for (const [status, response] of Object.entries<Json>(one.responses)) {
        const { headers, content } = response.$ref === undefined ? response : resolve(response.$ref)
        expect(resolve(headers['Service-Request-Id'].$ref).required).toBe(true)
        const { schema } = content['application/json']
        const envelope = schema.$ref === undefined ? schema : resolve(schema.$ref)
        expect(envelope.required).toEqual(['request_id', status === '200' ? 'data' : 'error'])
        expect(Object.keys(envelope.properties)).toEqual(envelope.required)
      }
    },
  )
})

describe('the requests in the OpenAPI document', () => {
  test('give the exact limits of signed and unsigned 64-bit integers', () => {
    expect(body('/channel/info').properties.channel_id).toMatchObject({
      ...{ type: 'integer', format: 'int64', minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n },
    })
    expect(text).toContain('"maximum":9223372036854775807')
    expect(body('/role/disable').properties.role_id).toMatchObject({
      ...{ type: 'integer', format: 'uint64', minimum: 0, maximum: 2n ** 64n - 1n },
    })
  })

  test('describe every field, including nested ones', () => {
    const bare: string[] = []
    const look = (schema: Json, place: string) => {
      for (const [name, field] of Object.entries<Json>(schema.properties ?? {})) {
        if (!field.description) bare.push(`${place}.${name}`)
        look(field.anyOf?.[0] ?? field, `${place}.${name}`)
      }
    }
    for (const [path, method] of described) if (method === 'post') look(body(path), path)
    expect(bare).toEqual([])
  })

  test('allow null in optional fields only', () => {
    for (const [path, method] of described) {
      if (method !== 'post') continue
      const { properties, required = [] } = body(path)
      for (const [name, schema] of Object.entries<Json>(properties)) {
        const allowsNull = [schema, ...(schema.anyOf ?? [])].some((one) => [one.type].flat().includes('null'))
        expect([path, name, allowsNull]).toEqual([path, name, !required.includes(name)])
      }
    }
  })

  test('restrict comma-separated lists to the allowed words', () => {
    const { progress } = body('/incident/list').properties
    const pattern = new RegExp(progress.anyOf[0].pattern, 'u')
    for (const list of ['', ' ', ',', 'Closed', ' Closed , Triggered,', 'Closed,,Processing'])
      expect(pattern.test(list), list).toBe(true)
    for (const list of ['closed', 'ClosedTriggered', 'Closed Triggered', 'Closed;', 'Closed,x'])
      expect(pattern.test(list), list).toBe(false)
  })

  test('have a query parameter and no body if the operation is a GET', () => {
    const { parameters, requestBody } = document.paths['/incident/post-mortem/info'].get
    expect(requestBody).toBeUndefined()
    expect(parameters).toMatchObject([{ name: 'post_mortem_id', in: 'query', required: true }])
    expect(parameters[0].schema).toMatchObject({ type: 'string', minLength: 1 })
    expect(parameters[0].description).toMatch(/post-mortem|report/i)
  })
})

test('every field in the OpenAPI document has a type, unless its shape is undocumented', () => {
  const untyped = [...walk(document)]
    .filter(([path]) => path.at(-2) === 'properties')
    .filter(([, schema]) => !('type' in schema || 'anyOf' in schema || '$ref' in schema))
    .map(([path]) => path.at(-1))
  expect(new Set(untyped)).toEqual(
    new Set([
      'layers',
      'schedule_layers',
      'layer_schedules',
      'cur_oncall',
      'next_oncall',
      'schedules',
      'fixed_time',
    ]),
  )
})

/** The fields that the API document marks as always present, by their type. */
const REQUIRED: Record<string, Record<string, string>> = {
  Incident: {
    hexadecimal: 'incident_id',
    int64: `account_id channel_id integration_id start_time end_time last_time ack_time close_time creator_id closer_id
      owner_id created_at updated_at snoozed_before alert_cnt active_alert_cnt alert_event_cnt`,
    'int64[]': 'integration_ids',
    string: `dedup_key equals_md5 title description ai_summary impact root_cause resolution num account_name
      account_locale account_time_zone channel_name channel_status detail_url silence_url post_mortem_id`,
    'string[]': 'integration_types manual_overrides',
    boolean: 'ever_muted',
    'Critical, Warning, Info or Ok': 'incident_status incident_severity',
    'Triggered, Processing or Closed': 'progress',
    'i, p or n': 'group_method',
    object: 'labels fields assigned_to',
    'object[]': 'responders',
    'object[] or null': 'images',
  },
  'Incident.assigned_to': {
    int64: 'layer_idx assigned_at',
    'int64[]': 'person_ids',
    string: 'escalate_rule_id type id escalate_rule_name',
  },
  Responder: { int64: 'person_id assigned_at acknowledged_at' },
  Alert: {
    hexadecimal: 'alert_id',
    string: 'title alert_severity alert_status',
    int64: 'start_time event_cnt',
  },
  'Alert.incident': { hexadecimal: 'incident_id', string: 'title progress' },
  Channel: { int64: 'channel_id team_id', string: 'channel_name status' },
  Schedule: {
    int64: `id schedule_id account_id group_id team_id disabled status create_at update_at create_by update_by`,
    string: 'name schedule_name description',
    any: 'layers schedule_layers layer_schedules cur_oncall next_oncall',
    object: 'final_schedule notify',
  },
  'Schedule.final_schedule': { string: 'layer_name name', int64: 'mode', any: 'schedules' },
  'Schedule.notify': { int64: 'advance_in_time', any: 'fixed_time', object: 'by', 'object[]': 'webhooks' },
  'Schedule.notify.by': { boolean: 'follow_preference', 'string[]': 'personal_channels' },
  'Schedule.notify.webhooks': { string: 'type', object: 'settings' },
  'Schedule.notify.webhooks.settings': {
    string: 'token alias verify_token sign_secret',
    int64: 'data_source_id',
    'string[]': 'chat_ids',
  },
  Member: {
    int64: 'account_id member_id created_at updated_at',
    string: 'member_name country_code phone email avatar ref_id status',
    boolean: 'phone_verified email_verified is_external',
    'int64[]': 'account_role_ids',
  },
  Team: { int64: 'team_id', string: 'team_name', 'int64[]': 'person_ids' },
  Permission: {
    int64: 'id',
    string: 'permission_name permission_type description class scope status',
    boolean: 'is_granted',
  },
  PostMortem: { object: 'meta basics content', string: 'follow_ups' },
  'PostMortem.meta': {
    int64: 'account_id team_id channel_id created_at_seconds updated_at_seconds media_count',
    string: 'title status post_mortem_id template_id channel_name',
    'string[]': 'incident_ids',
    'int64[]': 'author_ids',
    boolean: 'is_private',
  },
  'PostMortem.basics': {
    string: 'incidents_highest_severity',
    int64: `incidents_earliest_start_seconds incidents_latest_close_seconds incidents_total_duration_seconds`,
    'object[]': 'responders',
  },
  'PostMortem.content': { string: 'content' },
  FolderRuleStatus: { int64: 'folder_id rule_total', string: 'folder_name' },
}

test.each(Object.entries(REQUIRED))(
  'the OpenAPI document requires the documented fields of %s, with their types',
  (place, documented) => {
    const [name, ...fields] = place.split('.')
    const schema = fields.reduce((one: Json, field) => partOf(one.properties[field]), {
      ...document.components.schemas[name!],
    })
    const found = schema.required.map((field: string) => [field, typeOf(schema.properties[field])])
    const wanted = Object.entries(documented).flatMap(([type, names]) =>
      names.split(/\s+/).map((field) => [field, type]),
    )
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted))
  },
)

/** The schema of an object, or of the elements of a list. */
function partOf(given: Json): Json {
  const schema = given.$ref ? resolve(given.$ref) : given
  return schema.type === 'array' ? partOf(schema.items) : schema
}

function typeOf(schema: Json): string {
  if (schema.$ref) return 'object'
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ')
  if (schema.type === 'array') return `${typeOf(schema.items)}[]`
  if (schema.enum) return schema.enum.join(', ').replace(/, (\w+)$/, ' or $1')
  return schema.format ?? (schema.pattern ? 'hexadecimal' : schema.type) ?? 'any'
}
