import type { DuckDBConnection } from '@duckdb/node-api'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseJson } from '../../../src/contract/json.ts'
import { tablesOf } from '../../../src/definitions/tables.ts'
import { EXTRA } from '../../../src/warehouse/load/stage-table.ts'
import { databaseOn, inMemory, mergeInto, rowsOf, things } from '../sample-resource.ts'

let connection: DuckDBConnection
beforeAll(async () => {
  connection = await inMemory([things])
})

type Thing = Record<string, unknown>

/** Texts around 12 bytes, which DuckDB stores inline, and texts that are hard to encode. */
const words = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: 'grapheme-ascii', minLength: 11, maxLength: 14 }),
  fc.constantFrom(
    '',
    '\0',
    'a\0b',
    `${'x'.repeat(11)}\0`,
    `${'x'.repeat(12)}\0y`,
    'twelve bytes',
    'thirteen byte',
    'zwölf bytes',
    'dreizehn mit ß',
    '🔥🔥🔥',
    '🔥🔥🔥!',
    '\ud800',
    'lone \udc00 in the middle of it',
    '\\ud800',
    '"\\\\ud800"',
    '\u2028',
    'x'.repeat(10_000),
    'ü\0'.repeat(5_000),
  ),
)
const whole = fc.oneof(
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(
    0,
    -0,
    1,
    -1,
    2 ** 32,
    -(2 ** 32),
    2 ** 53 - 1,
    -(2 ** 53) + 1,
    2n ** 63n - 1n,
    -(2n ** 63n),
  ),
)
const seconds = fc.oneof(
  fc.integer({ min: 0, max: 253_402_300_799 }),
  fc.bigInt({ min: 0n, max: 253_402_300_799n }),
  fc.constantFrom(0, 0n, 1, 253_402_300_799),
)
const maybe = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 5, arbitrary: value }, { weight: 1, arbitrary: fc.constantFrom(null, undefined) })
const jsonish = fc.oneof(
  fc.dictionary(words, fc.oneof(words, whole, fc.constant(null))),
  fc.jsonValue({ stringUnit: 'binary' }),
)

const thing: fc.Arbitrary<Thing> = fc.record(
  {
    id: words,
    title: maybe(words),
    number: maybe(whole),
    is_on: maybe(fc.boolean()),
    updated_at: maybe(seconds),
    labels: maybe(jsonish),
    numbers: maybe(fc.array(maybe(whole))),
    words: maybe(fc.array(maybe(words))),
    some: maybe(
      fc.record(
        { where: maybe(fc.record({ deep: maybe(words) })), roles: maybe(fc.array(whole)) },
        { requiredKeys: [] },
      ),
    ),
    people: maybe(
      fc.array(
        fc.record(
          {
            person_id: whole,
            at: maybe(seconds),
            who: maybe(fc.record({ name: maybe(words) })),
            more: words,
          },
          { requiredKeys: ['person_id'] },
        ),
      ),
    ),
    [EXTRA]: maybe(jsonish),
  },
  { requiredKeys: ['id'] },
)

describe('records are stored unchanged', () => {
  test('whatever they contain', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(thing, { maxLength: 12, selector: ({ id }) => wellFormed(id) }),
        async (records) => {
          await expectStored(records)
        },
      ),
      { numRuns: 25 },
    )
  })

  test('even if a surrogate pair is split between two texts', async () => {
    await expectStored([
      { id: 'a', title: 'rocket \ud83d' },
      { id: 'b', title: '\ude80 and more than twelve bytes' },
      { id: 'c', title: null },
      { id: 'd', title: '\ude80' },
    ])
  })

  test('in thousands of rows, with and without values, or in none', async () => {
    const samples = fc.sample(thing, { numRuns: 300, seed: 7 })
    const many = Array.from({ length: 4_500 }, (_, index): Thing => {
      if (index >= 2_000 && index < 4_000) return { id: `id ${index} longer than twelve` }
      return { ...samples[index % samples.length]!, id: String(index) }
    })
    await expectStored(many)
    await expectStored([])
  })
})

test('JSON values in unusual notation are stored in the usual form', async () => {
  const text =
    '{"id":"\\u0041","title":"first","title":"caf\\u00e9","number":1e3,"numbers":[1.0,-0],"labels": { "b" : 1, "b": 2 }}'
  await store([parseJson(text) as Thing])
  expect(await rowsOf(connection, 'select id, title, number, numbers, labels from things')).toEqual([
    { id: 'A', title: 'café', number: 1_000n, numbers: [1n, 0n], labels: '{"b":2}' },
  ])
})

test('field names of records are case-sensitive, as in JSON', async () => {
  await store([{ ID: 'no', id: 'yes', Title: 'no', title: 'yes', people: [{ PERSON_ID: 1, person_id: 2 }] }])
  expect(await rowsOf(connection, 'select id, title from things')).toEqual([{ id: 'yes', title: 'yes' }])
  expect(await rowsOf(connection, 'select person_id from thing_people')).toEqual([{ person_id: 2n }])
})

test('every stored JSON column is valid JSON for DuckDB', async () => {
  const hostile = {
    'a\ud800': '\udc00',
    nul: '\0',
    quote: '\\ud800 "\\',
    id: 2n ** 80n,
    deep: [{ '': '\udbff\ud800' }],
  }
  await store([{ id: 'x', labels: hostile, _extra: hostile }])
  const [row] = await rowsOf(
    connection,
    `select json_valid(labels) as l, json_valid(_extra) as e, labels ->> 'quote' as quote from things`,
  )
  expect(row).toEqual({ l: true, e: true, quote: '\\ud800 "\\' })
})

async function store(records: readonly Thing[]) {
  for (const { name } of tablesOf(things)) await connection.run(`delete from ${name}`)
  const written = await mergeInto(databaseOn(connection), things, records, {
    runId: 1,
    seenAt: 0,
    accountId: 1n,
  })
  expect(written).toEqual({ inserted: records.length, replaced: 0 })
}

async function expectStored(records: readonly Thing[]) {
  await store(records)
  const names = ['id', 'title', 'number', 'is_on', 'labels', 'numbers', 'words', 'deep', EXTRA]
  const byId = new Map(
    (await rowsOf(connection, `select ${names}, epoch_us(updated_at) as updated_at from things`)).map(
      (row) => [row.id, { ...row, labels: parsed(row.labels), [EXTRA]: parsed(row[EXTRA]) }],
    ),
  )
  expect(records.map((record) => byId.get(wellFormed(record.id)))).toEqual(
    records.map((record) => ({
      id: wellFormed(record.id),
      title: wellFormed(record.title),
      number: bigint(record.number),
      is_on: record.is_on ?? null,
      updated_at: micros(record.updated_at),
      labels: canonical(record.labels),
      numbers: Array.isArray(record.numbers) ? record.numbers.map(bigint) : null,
      words: Array.isArray(record.words) ? record.words.map(wellFormed) : null,
      deep: wellFormed(
        (record.some as Thing | null)?.where && (((record.some as Thing).where as Thing).deep ?? null),
      ),
      [EXTRA]: canonical(record[EXTRA]),
    })),
  )
  expect(
    inOrder(
      await rowsOf(
        connection,
        'select id, ordinal, person_id, epoch_us(met_at) as met_at, name from thing_people',
      ),
    ),
  ).toEqual(
    inOrder(
      records.flatMap((record) =>
        ((record.people ?? []) as Thing[]).map((person, index) => ({
          id: wellFormed(record.id),
          ordinal: BigInt(index),
          person_id: bigint(person.person_id),
          met_at: micros(person.met_at),
          name: wellFormed((person.who as Thing | null)?.name),
        })),
      ),
    ),
  )
  expect(inOrder(await rowsOf(connection, 'select id, ordinal, role_id from thing_roles'))).toEqual(
    inOrder(
      records.flatMap((record) =>
        (((record.some as Thing | null)?.roles ?? []) as unknown[]).map((role, index) => ({
          id: wellFormed(record.id),
          ordinal: BigInt(index),
          role_id: bigint(role),
        })),
      ),
    ),
  )
}

function inOrder(rows: readonly Thing[]): Thing[] {
  return rows.toSorted((a, b) =>
    a.id === b.id ? Number(a.ordinal) - Number(b.ordinal) : String(a.id) < String(b.id) ? -1 : 1,
  )
}

/** Returns text as UTF-8 can encode it. Half a character becomes U+FFFD. */
function wellFormed(value: unknown): unknown {
  return typeof value === 'string' ? Buffer.from(value).toString() : (value ?? null)
}

function bigint(value: unknown): bigint | null {
  return value === null || value === undefined ? null : BigInt(value as number)
}

function micros(value: unknown): bigint | null {
  return Number(value ?? 0) === 0 ? null : BigInt(value as number) * 1_000_000n
}

function parsed(json: unknown): unknown {
  return json === null ? null : parseJson(json as string)
}

/** A JSON value after a conversion to text and back. Texts are well-formed, and exact integers are numbers. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value
  if (typeof value === 'number') {
    if (Object.is(value, -0)) return 0
    return Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21
      ? BigInt(String(value))
      : value
  }
  if (typeof value !== 'object' || value === null) return wellFormed(value)
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [wellFormed(key), canonical(one)]))
}
