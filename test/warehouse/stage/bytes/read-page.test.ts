import type { DuckDBConnection } from '@duckdb/node-api'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { stringifyJson } from '../../../../src/contract/json.ts'
import { incidents } from '../../../../src/resources/incidents.ts'
import { resources } from '../../../../src/resources/index.ts'
import { withPrivacy } from '../../../../src/resources/with-privacy.ts'
import { standingClock } from '../../../../src/sandbox/clock.ts'
import { buildWorld } from '../../../../src/sandbox/world/build-world.ts'
import { createPageReader } from '../../../../src/warehouse/stage/bytes/read-page.ts'
import { inMemory } from '../../things.ts'
import { throughBytes, throughObjects } from './both-ways.ts'

const NOW = Date.UTC(2026, 0, 1) / 1_000
const { incidents: company } = buildWorld({ seed: 3, incidents: 1_500, anchor: NOW }, standingClock(NOW))
const records = Array.from({ length: company.count() }, (_, index) => company.json(index))

let connection: DuckDBConnection
beforeAll(async () => {
  connection = await inMemory([])
})

function answer(items: string): Buffer {
  return Buffer.from(
    `{"request_id":"r","data":{"total":7,"items":[${items}],"has_next_page":true,"search_after_ctx":"é"}}`,
  )
}

/** What is read from bytes is what objects would give; what is not read from them is left to objects. */
async function expectAlike(bodies: readonly Buffer[]): Promise<boolean> {
  const [bytes, objects] = [
    await throughBytes(connection, incidents, bodies),
    await throughObjects(connection, incidents, bodies),
  ]
  if (bytes !== undefined) expect(bytes).toEqual(objects)
  return bytes !== undefined
}

describe('records read from bytes', () => {
  test('are those of the made-up company, over several chunks, and none is left out', async () => {
    const pages = Array.from({ length: 15 }, (_, page) =>
      answer(records.slice(page * 100, page * 100 + 100).join(',')),
    )
    expect(await expectAlike(pages)).toBe(true)
    expect(await expectAlike([...pages, ...pages.slice(0, 9)])).toBe(true)
    expect(await expectAlike([answer('')])).toBe(true)
  })

  test('may be written with white space, and in another order', async () => {
    const some = records.slice(0, 30).map((record) => JSON.parse(record) as Record<string, unknown>)
    expect(await expectAlike([answer(JSON.stringify(some, undefined, '\t').slice(1, -1))])).toBe(true)
    const turned = some.map((record) => Object.fromEntries(Object.entries(record).reverse()))
    expect(await expectAlike([answer(JSON.stringify(turned).slice(1, -1))])).toBe(true)
  })

  test('keep every digit and every letter', async () => {
    const record = JSON.parse(records[0]!) as Record<string, unknown>
    const texts = [
      '',
      '\0',
      'a\0b',
      'a"b\\c/d\n',
      'twelve bytes',
      'thirteen byte',
      'zwölf bytes',
      '🔥🔥🔥',
      '\u2028\u007f',
      'x'.repeat(10_000),
      '\\ud800',
    ]
    const items = texts.map((title, index) =>
      stringifyJson({
        ...record,
        title,
        labels: { [title]: title, nested: [{ a: null, b: [true, -1.5e-7, 10, 2 ** 60] }] },
        channel_id: [0, -1, 2 ** 53 - 1, 2n ** 63n - 1n, -(2n ** 63n), 9_007_199_254_740_993n][index % 6],
        integration_ids: [2n ** 62n, 0, -7],
        integration_types: [title, ''],
        manual_overrides: index % 2 ? null : [],
        links: [{ href: title }, {}],
        responders: [
          { person_id: 2n ** 60n + 1n, assigned_at: 1, acknowledged_at: 0, person_name: title, email: null },
          { acknowledged_at: 5, assigned_at: 0, person_id: 1, as: title },
        ],
      }),
    )
    expect(await expectAlike([answer(items.join(','))])).toBe(true)
    const escaped = items.map((item) =>
      item.replace(/[^\0-\u007f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
    )
    expect(await expectAlike([answer(escaped.join(','))])).toBe(true)
    const halves = `{"title":"\\ud83d","labels":{"a":"\\udc00 \\\\ud800"},${records[1]!.slice(1).replace(/"(title|labels)":/g, '"x$1":')}`
    expect(
      await expectAlike([answer(halves.replaceAll(/"x(title|labels)":(?:"[^"]*"|\{[^}]*\}),/g, ''))]),
    ).toBe(true)
  })

  test('are left to objects where anything is out of the ordinary', async () => {
    const good = records[0]!
    const bad = [
      good.replace('"title":', '"unheard_of":1,"title":'),
      good.replace('"title":', '"title":"first","title":'),
      good.replace('"title":', '"subtitle":'),
      good.replace(/"title":"[^"]*"/, '"title":null'),
      good.replace(/"title":"[^"]*"/, '"title":7'),
      good.replace(/"start_time":\d+/, '"start_time":-1'),
      good.replace(/"start_time":(\d+)/, '"start_time":$1.0'),
      good.replace(/"start_time":(\d+)/, '"start_time":$1e3'),
      good.replace(/"start_time":(\d+)/, '"start_time":0$1'),
      good.replace(/"start_time":(\d+)/, '"start_time":"$1"'),
      good.replace(/"channel_id":\d+/, '"channel_id":9223372036854775808'),
      good.replace(/"channel_id":\d+/, '"channel_id":-0'),
      good.replace(/"incident_id":"./, '"incident_id":"g'),
      good.replace(/"ever_muted":\w+/, '"ever_muted":tru'),
      good.replace('"labels":{', '"labels":{"a":1,,'),
      good.replace('"labels":{', '"labels":[{'),
      good.replace('"links":[]', '"links":[1]'),
      good.replace('"title":"', '"title":"\n'),
      good.replace('"title":"', '"title":"\\x'),
      good.replace('"person_id":', '"person_id":null,"id":'),
      good.slice(0, -1),
      `${good},`,
      `[${good}]`,
      '{}',
      'null',
    ]
    expect(new Set(bad).size).toBe(bad.length)
    for (const record of bad) {
      expect(record).not.toBe(good)
      const read = createPageReader(incidents)!
      expect([record, read([answer(record)])]).toEqual([record, undefined])
      // Nothing of it is left in the reader's memory.
      expect(read([answer(good)])!.bulk.keys).toHaveLength(1)
    }
    const read = createPageReader(incidents)!
    for (const text of [
      '',
      '{}',
      '{"data":{}}',
      '{"data":{"items":null}}',
      '{"data":{"items":[]}}x',
      '{"data":{"items":[],"items":[]}}',
      '{"error":{"code":"X"},"data":null}',
    ])
      expect([text, read([Buffer.from(text)])]).toEqual([text, undefined])
    expect(read([answer(good).subarray(0, -2), Buffer.from([0xff, 0x7d, 0x7d])])).toBeUndefined()
  })

  test('keep their memory to themselves, even if a page is released twice', () => {
    const read = createPageReader(incidents)!
    const { bulk } = read([answer(records[0]!)])!
    bulk.release()
    bulk.release()
    const [one, other] = [read([answer(records[1]!)])!, read([answer(records.slice(2, 4).join(','))])!]
    expect([one, other].map((taken) => taken.bulk.main.rows)).toEqual([1, 2])
    bulk.release()
    expect(one.bulk.main.rows).toBe(1)
  })

  test('are never read where privacy rules change them, or where a resource asks for more than can be done', () => {
    const rules = { drop: ['incidents.title'], hash: [], salt: 'a salt of some length' }
    const [scrubbed] = withPrivacy(resources, rules).filter(({ table }) => table === 'incidents')
    expect(createPageReader(scrubbed!)).toBeUndefined()
    const readable = resources.filter((resource) => createPageReader(resource)).map(({ table }) => table)
    expect(readable).toContain('incidents')
    expect(readable).not.toContain('post_mortems')
  })
})

/** Values that a field may be given instead of its own. */
const value = fc.oneof(
  fc.json({ noUnicodeString: false } as never),
  fc.constantFrom(
    'null',
    '0',
    '-0',
    '1',
    '12345678901234567',
    '1e400',
    '""',
    '"\\u0000"',
    '"\\/"',
    '{}',
    '[]',
    '[{}]',
    '[null]',
    '{"a":1,"a":2}',
    '{"2":1,"1":2}',
    '{"__proto__":1}',
    '[ ]',
    '{"a": 1}',
  ),
)
const change = fc.record({
  record: fc.nat(records.length - 1),
  at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  how: fc.constantFrom(
    'value',
    'drop',
    'blanks',
    'repeat',
    'insert',
    'cut',
    'blanks',
    'flip',
    'value',
    'drop',
  ),
  value,
  byte: fc.nat(255),
})

describe('whatever an answer holds', () => {
  test('bytes and objects give the same, or bytes give nothing', async () => {
    let taken = 0
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 2 }), async (changes) => {
        const items = [records[1]!, ...changes.map(changed)]
        if (await expectAlike([Buffer.from(answer(items.join(',')))])) taken++
      }),
      { numRuns: 250 },
    )
    expect(taken).toBeGreaterThan(5)
  })

  test('nothing is read that is not JSON', async () => {
    const body = answer(records.slice(0, 3).join(','))
    await fc.assert(
      fc.asyncProperty(fc.nat(body.length - 1), fc.nat(255), fc.boolean(), async (place, byte, insert) => {
        const changed = Buffer.concat([
          body.subarray(0, place),
          Buffer.from([byte]),
          body.subarray(insert ? place : place + 1),
        ])
        await expectAlike([changed])
      }),
      { numRuns: 250 },
    )
  })
})

/** A record with one thing changed, somewhere. */
function changed({
  record,
  at,
  how,
  value,
  byte,
}: {
  record: number
  at: number
  how: string
  value: string
  byte: number
}): string {
  const text = records[record]!
  const fields = [
    ...text.matchAll(/"([a-z_0-9]+)":("(?:[^"\\]|\\.)*"|-?\d+|true|false|null|\{[^{}]*\}|\[[^[\]{}]*\])/g),
  ]
  const field = fields[Math.floor(at * fields.length)]!
  const place = Math.floor(at * text.length)
  const instead = (what: string) =>
    text.slice(0, field.index) + what + text.slice(field.index + field[0].length)
  switch (how) {
    case 'value':
      return instead(`"${field[1]}":${value}`)
    case 'drop':
      return instead('').replace(/,,|([{[]),|,(?=[}\]])/, (_, open: string | undefined) => open ?? '')
    case 'repeat':
      return instead(`${field[0]},${field[0]}`)
    case 'insert':
      return instead(`${field[0]},"field":${value}`)
    case 'cut':
      return text.slice(0, place) + text.slice(place + 1)
    case 'blanks':
      return instead(`"${field[1]}" :\n ${field[2]}`)
    default:
      return text.slice(0, place) + String.fromCharCode(byte) + text.slice(place + 1)
  }
}
