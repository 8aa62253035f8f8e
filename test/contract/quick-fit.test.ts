import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { hexId, optional } from '../../src/contract/fields.ts'
import { incident } from '../../src/contract/incident.ts'
import { int64, int64In } from '../../src/contract/int64.ts'
import { parseJson } from '../../src/contract/json.ts'
import { quickFit } from '../../src/contract/quick-fit.ts'
import { tolerant } from '../../src/contract/tolerant.ts'
import { resources } from '../../src/resources/index.ts'
import { sandboxClock } from '../../src/sandbox/clock.ts'
import { buildWorld } from '../../src/sandbox/world/build-world.ts'

const NOW = Date.UTC(2026, 0, 1) / 1_000

/** Anything a service could send in the place of a field, near the borders of what is right above all. */
const anything = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    undefined,
    '',
    0,
    -1,
    1.5,
    Number.NaN,
    true,
    [],
    {},
    [null],
    [1n],
    ['x'],
    'f'.repeat(24),
  ),
  fc.constantFrom<unknown>(2 ** 53, -(2 ** 53), 2n ** 63n, 2n ** 63n - 1n, 253_402_300_799, 253_402_300_800),
  fc.jsonValue(),
)

describe('what fits at a glance', () => {
  const { incidents } = buildWorld({ seed: 7, incidents: 60, anchor: NOW }, sandboxClock(NOW))
  const records = Array.from(
    { length: incidents.count() },
    (_, index) => parseJson(incidents.json(index)) as object,
  )
  const read = tolerant(incident)
  const fits = quickFit(read)

  test('every right incident does, so that the schema is not asked', () => {
    expect(records.filter((record) => !fits(record))).toEqual([])
    expect(records.length).toBeGreaterThan(30)
  })

  test('never says yes where the schema says no, whatever stands in whichever field', () => {
    const names = Object.keys(incident.shape)
    fc.assert(
      fc.property(
        fc.constantFrom(...records),
        fc.constantFrom(...names, 'unheard_of'),
        anything,
        (record, name, value) => {
          const changed = { ...record, [name]: value }
          if (fits(changed)) expect(read.safeParse(changed).success).toBe(true)
        },
      ),
      { numRuns: 3_000 },
    )
  })

  test('says yes wherever the schema does, for every resource', () => {
    for (const resource of resources) {
      const quick = quickFit(resource.record)
      fc.assert(
        fc.property(fc.dictionary(fc.constantFrom(...namesOf(resource.record)), anything), (record) => {
          expect(quick(record)).toBe(resource.record.safeParse(record).success)
        }),
        { numRuns: 300 },
      )
    }
  })

  test.each<[string, z.ZodType, unknown, boolean]>([
    ['an id', hexId, 'a'.repeat(24), true],
    ['a short id', hexId, 'a'.repeat(23), false],
    ['a bigint beyond 64 bits', int64, 2n ** 63n, false],
    ['a fraction', int64, 0.5, false],
    ['a bound', int64In(0, 5), 6, false],
    ['null for an optional field', optional(z.string()), null, true],
    ['a list with one wrong element', z.array(z.string()), ['a', 1], false],
    ['a schema that is not known', z.date(), new Date(0), false],
    ['a condition of its own', z.string().refine((text) => text !== 'no'), 'no', false],
    ['a text of a format', z.email(), 'no', false],
    ['a text of a format within a list', z.array(z.iso.datetime()), ['no'], false],
    ['an object whose keys are to fit', z.record(z.string().regex(/^a$/), z.unknown()), { b: 1 }, false],
    ['an object with any keys', z.record(z.string(), z.unknown()), { b: 1 }, true],
    ['a strict object', z.strictObject({ a: z.string() }), { a: 'x', b: 1 }, false],
  ])('%s', (_, schema, value, expected) => {
    expect(quickFit(schema)(value)).toBe(expected)
  })
})

function namesOf(schema: z.ZodType): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : ['any']
}
