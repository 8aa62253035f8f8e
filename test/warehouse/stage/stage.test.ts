import type { DuckDBConnection } from '@duckdb/node-api'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseJson } from '../../../src/contract/json.ts'
import { CHUNK_ROWS } from '../../../src/warehouse/stage/chunk-column.ts'
import { STAGE_CHILDREN, STAGE_EXTRA, STAGE_ROW } from '../../../src/warehouse/stage/sources.ts'
import { createStage } from '../../../src/warehouse/stage/stage.ts'
import { inMemory, rowsOf, things } from '../things.ts'

let connection: DuckDBConnection
beforeAll(async () => {
  connection = await inMemory([things])
})

type Thing = Record<string, unknown>

/** Texts at the edges of DuckDB's 12-byte entry, and those that encodings break on. */
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
    [STAGE_EXTRA]: maybe(jsonish),
  },
  { requiredKeys: ['id'] },
)

describe('staged records are read back as they were', () => {
  test('whatever they hold', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(thing, { maxLength: 12 }), async (records) => {
        await expectStaged(records)
      }),
      { numRuns: 60 },
    )
  })

  test('although two texts in a row end and begin with half a surrogate pair', async () => {
    await expectStaged([
      { id: 'a', title: 'rocket \ud83d' },
      { id: 'b', title: '\ude80 and more than twelve bytes' },
      { id: 'c', title: null },
      { id: 'd', title: '\ude80' },
    ])
  })

  test(`over several chunks of ${CHUNK_ROWS} rows, some without any NULL, some with nothing else`, async () => {
    const samples = fc.sample(thing, { numRuns: 300, seed: 7 })
    const many = Array.from({ length: 2 * CHUNK_ROWS + 500 }, (_, index): Thing => {
      if (index >= CHUNK_ROWS && index < 2 * CHUNK_ROWS) return { id: `id ${index} longer than twelve` }
      return samples[index % samples.length]!
    })
    await expectStaged(many)
  })

  test(`with exactly ${CHUNK_ROWS} rows, and with none`, async () => {
    await expectStaged(
      Array.from({ length: CHUNK_ROWS }, (_, index) => ({ id: String(index), number: index })),
    )
    await expectStaged([])
  })

  test(`with more than ${CHUNK_ROWS} list elements in one row and over a chunk`, async () => {
    const long = Array.from({ length: 3 * CHUNK_ROWS + 1 }, (_, index) => (index % 700 === 0 ? null : index))
    const lists = long.slice(0, CHUNK_ROWS + 3)
    await expectStaged([
      { id: 'a', numbers: [], words: ['first'] },
      {
        id: 'b',
        numbers: long,
        words: lists.map((one) => (one === null ? null : `word ${one} of the list`)),
      },
      { id: 'c', numbers: null, words: [] },
      {
        id: 'd',
        numbers: lists,
        words: lists.map(String),
        people: lists.map((one) => ({ person_id: one ?? 0 })),
      },
    ])
    await expectStaged(
      Array.from({ length: CHUNK_ROWS }, (_, row) => ({ id: `${row}`, numbers: [row, null, 2n ** 62n] })),
    )
  })
})

/** Stages records, in two parts. Returns the rows staged. */
async function stage(records: readonly Thing[]): Promise<number> {
  const batch = createStage(things)
  batch.add(records.slice(0, 1))
  batch.add(records.slice(1))
  batch.show(connection)
  return batch.rows
}

test('a stage replaces the one before', async () => {
  await stage([{ id: 'old', people: [{ person_id: 1 }] }])
  expect(await stage([{ id: 'new' }])).toBe(1)
  expect(await rowsOf(connection, 'select id from stage_things()')).toEqual([{ id: 'new' }])
  expect(await rowsOf(connection, 'from stage_thing_people()')).toEqual([])
})

test('every staged JSON text is JSON for DuckDB, too', async () => {
  const hostile = {
    'a\ud800': '\udc00',
    nul: '\0',
    quote: '\\ud800 "\\',
    id: 2n ** 80n,
    deep: [{ '': '\udbff\ud800' }],
  }
  await stage([{ id: 'x', labels: hostile, _extra: hostile }])
  const [row] = await rowsOf(
    connection,
    `select json_valid(labels) as l, json_valid(_extra) as e, labels ->> 'quote' as quote
    from stage_things()`,
  )
  expect(row).toEqual({ l: true, e: true, quote: '\\ud800 "\\' })
})

async function expectStaged(records: readonly Thing[]) {
  expect(await stage(records)).toBe(records.length)
  const rows = await rowsOf(
    connection,
    `select * exclude (updated_at, ${STAGE_ROW}, ${STAGE_CHILDREN}), epoch_us(updated_at) as updated_at from stage_things()`,
  )
  const got = rows.map((row) => ({
    ...row,
    labels: parsed(row.labels),
    [STAGE_EXTRA]: parsed(row[STAGE_EXTRA]),
  }))
  expect(got).toEqual(
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
      [STAGE_EXTRA]: canonical(record[STAGE_EXTRA]),
    })),
  )
  expect(
    await rowsOf(
      connection,
      'select * exclude (_row, met_at), epoch_us(met_at) as met_at from stage_thing_people()',
    ),
  ).toEqual(
    records.flatMap((record) =>
      ((record.people ?? []) as Thing[]).map((person, index) => ({
        id: wellFormed(record.id),
        ordinal: BigInt(index),
        person_id: bigint(person.person_id),
        met_at: micros(person.met_at),
        name: wellFormed((person.who as Thing | null)?.name),
      })),
    ),
  )
  expect(await rowsOf(connection, 'select * exclude (_row) from stage_thing_roles()')).toEqual(
    records.flatMap((record) =>
      (((record.some as Thing | null)?.roles ?? []) as unknown[]).map((role, index) => ({
        id: wellFormed(record.id),
        ordinal: BigInt(index),
        role_id: bigint(role),
      })),
    ),
  )
}

/** Text as UTF-8 can hold it: half a character becomes U+FFFD. */
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

/** A JSON value as it reads after a trip through text: well-formed, integers as numbers where they are exact. */
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
