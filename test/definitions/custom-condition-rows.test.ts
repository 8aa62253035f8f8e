import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { compileConditions } from '../../src/definitions/custom-condition.ts'

/** Compares the results of accepted conditions with an independent evaluation in TypeScript, which treats null like SQL. */
let connection: DuckDBConnection
beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:')).connect()
})

interface Row {
  readonly title: string | null
  readonly channel_name: string | null
  readonly channel_id: number | null
  readonly start_time: number | null
  readonly labels: Readonly<Record<string, string>>
}

/** A part of a condition, with its value for a row. */
interface Part<Value> {
  readonly text: string
  of(row: Row): Value | null
}

/** Fixes the type parameter, which TypeScript would not infer from `map`. */
const part = <Value>(text: string, of: (row: Row) => Value | null): Part<Value> => ({ text, of })

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`
const word = fc.constantFrom<string[]>(
  '',
  'a',
  'A',
  'test',
  "o'hare",
  '50%_',
  'x -- y',
  ') or (true',
  'é',
  '10',
)
const key = fc.constantFrom<string[]>('env', 'k8s.io/name', 'a~b"c')

const text: fc.Arbitrary<Part<string>> = fc.oneof(
  word.map((one) => part(quoted(one), () => one)),
  fc.constant(part('title', ({ title }) => title)),
  fc.constant(part('channel_name', (row) => row.channel_name)),
  key.map((name) => part(`label."${name.replaceAll('"', '""')}"`, ({ labels }) => labels[name] ?? null)),
  word.map((one) => part(`coalesce(title, ${quoted(one)})`, ({ title }) => title ?? one)),
  fc.constant(part('lower(channel_name)', (row) => row.channel_name?.toLowerCase() ?? null)),
)
const number: fc.Arbitrary<Part<number>> = fc.oneof(
  fc.integer({ min: -3, max: 12 }).map((one) => part(String(one), () => one)),
  fc.constant(part('channel_id', (row) => row.channel_id)),
  fc.constant(part('length(title)', ({ title }) => title?.length ?? null)),
  fc.constant(part('cast(label.env as integer)', ({ labels }) => (labels.env === '10' ? 10 : null))),
)
const time: fc.Arbitrary<Part<number>> = fc.oneof(
  fc.constant(part('start_time', (row) => row.start_time)),
  fc.integer({ min: 1, max: 9 }).map((day) => part(`'2026-01-0${day}'`, () => Date.UTC(2026, 0, day) / 1000)),
)

const both = <Value, Result>(a: Value | null, b: Value | null, say: (a: Value, b: Value) => Result) =>
  a === null || b === null ? null : say(a, b)
const bytes = (value: string | number) => (typeof value === 'string' ? Buffer.from(value) : value)
const compare = (a: string | number, b: string | number) =>
  typeof a === 'string' ? Buffer.compare(bytes(a) as Buffer, bytes(b) as Buffer) : a - (b as number)
const signs: Readonly<Record<string, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '<>': (order) => order !== 0,
  '<': (order) => order < 0,
  '>=': (order) => order >= 0,
}
const compared = <Value extends string | number>(
  part: fc.Arbitrary<Part<Value>>,
): fc.Arbitrary<Part<boolean>> =>
  fc.tuple(part, fc.constantFrom(...Object.keys(signs)), part).map(([a, sign, b]) => ({
    text: `${a.text} ${sign} ${b.text}`,
    of: (row) => both(a.of(row), b.of(row), (a, b) => signs[sign]!(compare(a, b))),
  }))

const among: fc.Arbitrary<Part<boolean>> = fc
  .tuple(text, fc.array(word, { minLength: 1, maxLength: 3 }))
  .map(([a, list]) => ({
    text: `${a.text} in (${list.map(quoted).join(', ')})`,
    of: (row) => {
      const value = a.of(row)
      return value === null ? null : list.includes(value)
    },
  }))
const begins: fc.Arbitrary<Part<boolean>> = fc.tuple(text, word).map(([a, start]) => ({
  text: `${a.text} like ${quoted(`${start.replaceAll(/[%_]/g, '')}%`)}`,
  of: (row) => a.of(row)?.startsWith(start.replaceAll(/[%_]/g, '')) ?? null,
}))
const missing: fc.Arbitrary<Part<boolean>> = text.map((a) => ({
  text: `${a.text} is null`,
  of: (row) => a.of(row) === null,
}))
const between: fc.Arbitrary<Part<boolean>> = fc.tuple(number, number, number).map(([a, low, high]) => ({
  text: `${a.text} between ${low.text} and ${high.text}`,
  of: (row) =>
    and(
      both(a.of(row), low.of(row), (a, b) => a >= b),
      both(a.of(row), high.of(row), (a, b) => a <= b),
    ),
}))

function and(a: boolean | null, b: boolean | null): boolean | null {
  if (a === false || b === false) return false
  return a === null || b === null ? null : true
}
const not = (a: boolean | null) => (a === null ? null : !a)

const { condition } = fc.letrec<{ condition: Part<boolean> }>((tie) => ({
  condition: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(compared(text), compared(number), compared(time), among, begins, missing, between),
    tie('condition').map((a) => ({ text: `not (${a.text})`, of: (row: Row) => not(a.of(row)) })),
    fc.tuple(tie('condition'), tie('condition')).map(([a, b]) => ({
      text: `(${a.text}) and (${b.text})`,
      of: (row: Row) => and(a.of(row), b.of(row)),
    })),
    fc.tuple(tie('condition'), tie('condition')).map(([a, b]) => ({
      text: `(${a.text}) or (${b.text})`,
      of: (row: Row) => not(and(not(a.of(row)), not(b.of(row)))),
    })),
  ),
}))

const nullable = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null })
const row: fc.Arbitrary<Row> = fc.record({
  title: nullable(word),
  channel_name: nullable(word),
  channel_id: nullable(fc.integer({ min: 0, max: 11 })),
  start_time: nullable(fc.integer({ min: 0, max: 9 }).map((day) => Date.UTC(2026, 0, day) / 1000)),
  labels: fc.dictionary(key, word, { maxKeys: 3 }),
})

test('custom conditions match the same rows of random data as an independent evaluator', async () => {
  await fc.assert(
    fc.asyncProperty(condition, fc.array(row, { minLength: 1, maxLength: 8 }), async ({ text, of }, rows) => {
      const [one] = await compileConditions(connection, [{ text, at: 'c:1', of: 'x', gives: 'boolean' }])
      const found = await connection.runAndReadAll(
        `with rows as (
           select row.title, row.channel_name, row.channel_id, to_timestamp(row.start_time) as start_time, row.labels
           from (select unnest(from_json($1::json, '[{"title": "VARCHAR", "channel_name": "VARCHAR",
             "channel_id": "BIGINT", "start_time": "BIGINT", "labels": "JSON"}]')) as row)
         ) select ${one!.sql} from rows`,
        [JSON.stringify(rows)],
      )
      expect(found.getRows().map(([value]) => value)).toEqual(rows.map(of))
    }),
    { numRuns: 300 },
  )
}, 300_000)

test('every custom condition is rejected or compiles to one expression without subqueries', async () => {
  const piece = fc.constantFrom(
    ...[
      "title = 'a'",
      ')',
      '(',
      "'",
      '--',
      '/*',
      '*/',
      ';',
      ' or ',
      ' union select ',
      'from incidents',
      '1=1',
      '"',
      'now()',
    ],
    ...[
      '$1',
      'drop table t',
      'label.x',
      "''",
      '\\',
      '\n',
      '\u0000',
      '@',
      'select',
      'where true',
      '[1]',
      '::json',
      'lambda x: x',
    ],
  )
  await connection.run('create or replace table incidents as select 1 as secret')
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 7 }), async (pieces) => {
      const text = pieces.join(' ')
      const [one] = await compileConditions(connection, [
        { text, at: 'c:1', of: 'x', gives: 'boolean' },
      ]).catch((error: unknown) => {
        expect(error).toMatchObject({ name: 'ConfigError', message: expect.stringContaining('c:1: x: ') })
        return [undefined]
      })
      if (!one) return
      const tree = await connection.runAndReadAll('select json_serialize_sql($1::varchar)', [
        `select ${one.sql}`,
      ])
      const { statements } = JSON.parse(String(tree.getRows()[0]![0])) as {
        statements: { node: { type: string; from_table: { type: string }; select_list: unknown[] } }[]
      }
      expect(statements).toHaveLength(1)
      const { node } = statements[0]!
      expect([node.type, node.from_table.type, node.select_list.length]).toEqual(['SELECT_NODE', 'EMPTY', 1])
      expect(JSON.stringify(node)).not.toMatch(/SUBQUERY|LAMBDA|WINDOW|PARAMETER|"now"/)
    }),
    { numRuns: 500 },
  )
}, 300_000)
