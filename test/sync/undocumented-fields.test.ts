import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { parseJson } from '../../src/contract/json.ts'
import { incidents } from '../../src/resources/incidents.ts'
import { resources } from '../../src/resources/index.ts'
import { members } from '../../src/resources/members.ts'
import { postMortems } from '../../src/resources/post-mortems.ts'
import type { Resource } from '../../src/resources/resource.ts'
import { extraFields, type Known, knownFields } from '../../src/sync/undocumented-fields.ts'

function extraOf(resource: Resource, record: object) {
  const unknown = new Set<string>()
  return { extra: extraFields(record, knownFields(resource), unknown), unknown: [...unknown].sort() }
}

const nothing = { extra: undefined, unknown: [] }

describe('the undocumented fields of a record', () => {
  test('are absent if every field has a column, whatever a JSON column contains', () => {
    expect(
      extraOf(incidents, { title: 'x', labels: { any: { depth: 1 } }, responders: [{ person_id: 1 }] }),
    ).toEqual(nothing)
    expect(extraOf(members, { member_id: 1, account_role_ids: [1, 2] })).toEqual(nothing)
  })

  test('are returned with their values, even null or empty values', () => {
    const { extra, unknown } = extraOf(incidents, {
      title: 'x',
      sla: { a: [1] },
      gone: null,
      empty: '',
      none: undefined,
    })
    expect(extra).toEqual({ sla: { a: [1] }, gone: null, empty: '' })
    expect(unknown).toEqual(['empty', 'gone', 'sla'])
  })

  test('keep their place inside child rows and nested objects', () => {
    const record = { responders: [{ person_id: 1 }, { person_id: 2, mood: 'calm' }, { mood: null }] }
    expect(extraOf(incidents, record)).toEqual({
      extra: { responders: [null, { mood: 'calm' }, { mood: null }] },
      unknown: ['responders.mood'],
    })
    const report = {
      meta: { title: 'x', tags: ['a'] },
      basics: { responders: [], cost: 2n ** 70n },
      content: { content: '', format: 'v2' },
    }
    expect(extraOf(postMortems, report)).toEqual({
      extra: { meta: { tags: ['a'] }, basics: { cost: 2n ** 70n }, content: { format: 'v2' } },
      unknown: ['basics.cost', 'content.format', 'meta.tags'],
    })
  })

  test('include fields with names that JavaScript reserves', () => {
    const record = parseJson(
      '{"__proto__": {"polluted": true}, "constructor": 1, "toString": "x", "hasOwnProperty": null}',
    ) as object
    const { extra, unknown } = extraOf(incidents, record)
    expect(Object.keys(extra!).sort()).toEqual(['__proto__', 'constructor', 'hasOwnProperty', 'toString'])
    expect(JSON.parse(JSON.stringify(extra))).toEqual(record)
    expect(unknown).toContain('__proto__')
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    expect((extra as { polluted?: boolean }).polluted).toBeUndefined()
  })

  test('exclude a value whose shape differs from the documented shape', () => {
    expect(extraOf(incidents, { responders: null })).toEqual(nothing)
    expect(extraOf(postMortems, { meta: null, content: 'text' })).toEqual(nothing)
  })
})

// A field of the contract without a column would be reported as drift every night.
test.each(resources.map((one) => [one.table, one] as const))(
  'every documented field of %s is stored',
  (_, resource) => {
    expect(missing(resource.record, knownFields(resource))).toEqual([])
  },
)

function missing(schema: unknown, known: Known | null | undefined, prefix = ''): string[] {
  if (known === null) return []
  if (known === undefined) return [prefix]
  const inner = unwrapped(schema)
  if ('element' in inner) return missing(inner.element, known, prefix)
  return Object.entries(inner.shape ?? {}).flatMap(([field, value]) =>
    missing(value, known.fields.get(field), prefix === '' ? field : `${prefix}.${field}`),
  )
}

function unwrapped(schema: unknown): { shape?: Record<string, z.ZodType>; element?: unknown } {
  let inner = schema as { unwrap?: () => unknown; element?: unknown; shape?: Record<string, z.ZodType> }
  while (typeof inner.unwrap === 'function' && !('element' in inner)) inner = inner.unwrap() as typeof inner
  return inner
}
