import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WarehouseError } from '../../../src/errors.ts'
import type { Reader } from '../../../src/warehouse/read/reader.ts'
import { openReader } from '../../support/storage.ts'

const folder = mkdtempSync(join(tmpdir(), 'faultline-reader-'))
const path = join(folder, 'warehouse.duckdb')
let reader: Reader

beforeAll(async () => {
  const instance = await DuckDBInstance.create(path)
  const connection = await instance.connect()
  await connection.run('create table incidents as select range as id from range(3)')
  connection.closeSync()
  instance.closeSync()
  reader = await openReader(path, { memoryLimit: '200MB' })
})
afterAll(() => reader.close())

const refusal = async (act: Promise<unknown>) => {
  const error = await act.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  expect(error).toBeInstanceOf(WarehouseError)
  return error as WarehouseError
}

describe('opening a warehouse for reading', () => {
  test('fails with advice to run or continue a sync if the file is missing', async () => {
    const none = join(folder, 'none.duckdb')
    expect(await refusal(openReader(none))).toMatchObject({
      message: `No warehouse found at ${none}.`,
      next: 'Run `faultline sync` first, or specify another file with --warehouse.',
    })
    const begun = join(folder, 'begun.duckdb')
    mkdirSync(`${begun}.sync`)
    writeFileSync(`${begun}.sync/7.duckdb`, '')
    expect(await refusal(openReader(begun))).toMatchObject({
      message: `No warehouse found at ${begun} yet.`,
      next: expect.stringContaining('which continues it'),
    })
  })

  test.each([
    ['other.duckdb', 'not a database '.repeat(999)],
    ['empty.duckdb', ''],
    ['data.json', '{"a": 1}'],
    ['data.csv', 'a,b\n1,2'],
  ])('fails without creating files if the file is not a database: %s', async (name, text) => {
    const other = join(folder, name)
    writeFileSync(other, text)
    const before = readdirSync(folder)
    const error = await refusal(openReader(other))
    expect(error.message).toBe(`${other} is not a DuckDB file.`)
    expect(error.next).toContain('--warehouse')
    expect(readdirSync(folder)).toEqual(before)
    expect(readFileSync(other, 'utf8')).toBe(text)
  })

  test('works for two readers of the same file at once', async () => {
    const second = await openReader(path)
    expect((await second.query('select count(*) from incidents')).rows).toEqual([[3n]])
    second.close()
  })
})

describe('a read session', () => {
  test('does not let a statement change its settings', async () => {
    const error = await refusal(reader.define('set enable_external_access = true'))
    expect(error.message).toMatch(/locked|enabled/)
  })

  test('uses UTC, whatever the time zone of the process', async () => {
    const other = await reader.session()
    for (const session of [reader, other]) {
      const { rows } = await session.query("select current_setting('TimeZone')")
      expect(rows).toEqual([['UTC']])
    }
    other.close()
  })
})

describe('query parameters', () => {
  test('are bound by name and keep their types', async () => {
    const at = new Date('2026-03-01T08:00:00.123Z')
    const { columns, rows } = await reader.query(
      `select $text as a, $number as b, $big as c, $yes as d, $at as e, $list as f, $none as g, $text as h`,
      {
        text: "it's; drop table",
        number: 1.5,
        big: 2n ** 60n,
        yes: true,
        at,
        list: ['x', "y'"],
        none: null,
        spare: 1,
      },
    )
    expect(rows).toEqual([
      ["it's; drop table", 1.5, 2n ** 60n, true, at, ['x', "y'"], null, "it's; drop table"],
    ])
    expect((await reader.query('explain from incidents where id < $most', { most: 2 })).rows).toHaveLength(1)
    expect(columns.slice(0, 6).map(({ type }) => type)).toEqual([
      'VARCHAR',
      'DOUBLE',
      'BIGINT',
      'BOOLEAN',
      'TIMESTAMP WITH TIME ZONE',
      'VARCHAR[]',
    ])
  })

  test('that are unknown are reported with the known parameters', async () => {
    const error = await refusal(reader.query('select $perod', { period: 1 }))
    expect(error.message).toContain('$perod')
    expect(error.next).toContain('$period')
  })
})

test('a query returns values of every DuckDB type without loss', async () => {
  const { rows } = await reader.query(
    `select 1::int, 9007199254740993::bigint, 170141183460469231731687303715884105727::hugeint, 0.1::decimal(3,2),
      12345678901234567.89::decimal(19,2), date '2026-03-01', timestamp '2026-03-01 08:00:00.25',
      timestamptz '2026-03-01 08:00:00+02', [1, null], {a: 1::bigint}, map {'k': 2}, '{"x":1}'::json, 'NaN'::double`,
  )
  expect(rows[0]).toEqual([
    1,
    9007199254740993n,
    2n ** 127n - 1n,
    0.1,
    '12345678901234567.89',
    '2026-03-01',
    '2026-03-01T08:00:00.25',
    new Date('2026-03-01T06:00:00Z'),
    [1, null],
    { a: 1n },
    { k: 2 },
    '{"x":1}',
    Number.NaN,
  ])
})

test('a query returns infinite times and times BC as the text that DuckDB prints', async () => {
  const written = [
    ['timestamptz', 'infinity', '-infinity', '290309-12-22 (BC) 00:00:00+00', '294247-01-10 04:00:54+00'],
    ['timestamp', 'infinity', '-infinity', '0044-03-15 (BC) 10:00:00', '0001-12-31 (BC) 00:00:00'],
    ['date', 'infinity', '-infinity', '0044-03-15 (BC)', '0001-12-31 (BC)'],
    ['timestamp_s', 'infinity', '-infinity', '0044-03-15 (BC) 10:00:00', '0001-12-31 (BC) 00:00:00'],
    ['timestamp_ms', 'infinity', '-infinity', '0044-03-15 (BC) 10:00:00', '0001-12-31 (BC) 00:00:00'],
    ['timestamp_ns', 'infinity', '-infinity', '1960-01-01 00:00:00.123456789'],
  ]
  for (const [type, ...texts] of written) {
    const values = texts.map((text) => `'${text}'::${type}`).join()
    const { rows } = await reader.query(`select ${values}, [${values}]`)
    expect(rows, type).toEqual([[...texts, texts]])
  }
  const { rows } = await reader.query(
    "select '275760-09-13 00:00:00+00'::timestamptz, '0000-01-01'::date::varchar",
  )
  expect(rows).toEqual([[new Date(8.64e15), '0001-01-01 (BC)']])
})

describe('keeping a query result in a session', () => {
  test('lets later queries of the same session read the rows, but not other sessions', async () => {
    const session = await reader.session()
    await session.keep('few', 'select id from incidents where id < $most;', { parameters: { most: 2 } })
    expect((await session.read('few')).rows).toEqual([[0n], [1n]])
    expect((await session.query('select sum(id) as s from few')).rows).toEqual([[1n]])
    await refusal(reader.query('from few'))
    session.close()
  })

  test('provides the columns without computing anything if no rows are requested', async () => {
    const session = await reader.session()
    await session.keep('shape', "select id, error('computed') as e from incidents", { rows: false })
    const kept = await session.read('shape')
    expect(kept.columns.map(({ name }) => name)).toEqual(['id', 'e'])
    expect(kept.rows).toEqual([])
    session.close()
  })

  test('reports an error with the line of the original text', async () => {
    const error = await refusal(reader.keep('wrong', 'select id\nfrom incident'))
    expect(error.message).toMatch(/LINE 2: from incident/)
  })
})
