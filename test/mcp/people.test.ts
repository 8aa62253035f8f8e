import type { DuckDBConnection } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WarehouseError } from '../../src/errors.ts'
import { reachOf } from '../../src/mcp/tools/personal-columns.ts'
import { resources } from '../../src/resources/index.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { confine, type Reach } from '../../src/warehouse/read/reach.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { readSchema } from '../../src/warehouse/schema/schema.ts'
import { openReader, publishedAt } from '../support/storage.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { settleCompany } from '../support/world.ts'
import { ANSWERED, BY_NAME, COLUMNS, IDS, RELATIONS } from './ways-around.ts'

let warehouse: string
let reader: Reader
let reach: Reach
let names: string[]

beforeAll(async () => {
  warehouse = await warehouseFile(async (connection) => {
    await settleCompany(connection)
    await markPeople(connection)
  })
  reader = await openReader(warehouse, { settings: defaultSettings })
  reach = reachOf(await readSchema(resources, defaultSettings))
  names = (await reader.query('select member_name from members')).rows.map(([name]) => String(name))
}, 120_000)
afterAll(() => reader.close())

/** Makes every stored personal value recognizable. */
async function markPeople(connection: DuckDBConnection): Promise<void> {
  const found = await connection.runAndReadAll(
    `select c.table_name, c.column_name, c.data_type from duckdb_columns() c join duckdb_tables() t using (table_oid)
     where c.column_name in ('person_id', 'member_id', 'owner_id', 'closer_id', 'creator_id', 'email', 'phone', 'reporter_email')`,
  )
  for (const [table, column, type] of found.getRows()) {
    const text = column === 'phone' ? "'+49151' || random()" : "'someone' || random() || '@secret.invalid'"
    const value = type === 'VARCHAR' ? text : `case when "${column}" > 0 then "${column}" + ${IDS} else 0 end`
    await connection.run(`update "${table}" set "${column}" = ${value}`)
  }
  for (const column of ['owner', 'closer'])
    await connection.run(
      `update incidents set ${column} = json_object('person_id', ${IDS} + 1, 'person_name', (select min(member_name) from members))`,
    )
}

/** Runs a statement as an assistant and returns its rows as one text. */
async function answer(sql: string): Promise<string> {
  const found: unknown[] = []
  for await (const { columns, rows } of reader.stream(sql, {}, reach)) found.push(columns, rows)
  return textOf(found)
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each))
}

function saysWho(text: string): boolean {
  return /770000000|@secret|\+49151/.test(text) || names.some((name) => text.includes(name))
}

test('the test warehouse contains recognizable personal data', async () => {
  for (const sql of [
    'from members',
    'select closer_id from incident_times where closer_id > 0',
    'select reporter_email from incidents',
    'select owner from incidents',
    'from incident_responders',
  ]) {
    const { rows } = await reader.query(sql)
    expect([sql, saysWho(textOf(rows))]).toEqual([sql, true])
  }
})

describe('an AI assistant', () => {
  test.each([...RELATIONS, ...BY_NAME])('cannot run `%s`', async (sql) => {
    await expect(answer(sql)).rejects.toThrow(WarehouseError)
  })

  test.each(COLUMNS)('learns no identity from `%s`', async (sql) => {
    const text = await answer(sql).catch((error: unknown) => {
      if (error instanceof WarehouseError) return ''
      throw error
    })
    expect(saysWho(text)).toBe(false)
    expect(text).not.toMatch(/"(owner|closer|creator)_id"|"assigned_to"/)
  })

  test.each(ANSWERED)('can run `%s`', async (sql) => expect(await answer(sql)).toMatch(/name/))

  test('gets the same rows as a person for a permitted statement', async () => {
    const sql =
      'select team_name, incident_severity, count(*) as n, median(time_to_ack_s) as m from incident_times group by all order by all'
    const found: unknown[] = []
    for await (const { rows } of reader.stream(sql, {}, reach)) found.push(...rows)
    expect(found).toEqual((await reader.query(sql)).rows)
    expect(found.length).toBeGreaterThan(2)
  })
})

const relation = fc.constantFrom(
  'incident_times',
  'incident_labels',
  'channels',
  'members',
  'incidents',
  'teams',
  'person_names',
  'mine',
)
const statement = fc.letrec<{ query: string; source: string }>((tie) => ({
  query: fc.oneof(
    { maxDepth: 3 },
    tie('source').map((source) => `select count(*) as n from ${source} s`),
    fc.tuple(tie('query'), tie('query')).map(([one, other]) => `${one} union all ${other}`),
    fc
      .tuple(tie('query'), tie('source'))
      .map(([one, source]) => `with mine as (${one}) select count(*) as n from mine, ${source} s`),
    tie('query').map((one) => `select (${one.replace(/ union all .*/s, '')}) as n`),
    tie('source').map((source) => `select count(*) as n from range(2) r where exists (from ${source} s)`),
  ),
  source: fc.oneof(
    { maxDepth: 3 },
    relation,
    relation.map((name) => `main."${name}"`),
    tie('query').map((query) => `(${query})`),
  ),
})).query

test('a statement of an AI assistant scans only the tables of permitted relations', async () => {
  const opened = await publishedAt(warehouse).open()
  const connection = await opened.connect()
  const scans = async (sql: string) => {
    const found = await connection.runAndReadAll(`explain (format json) ${sql}`)
    return new Set(
      Array.from(
        String(found.getRows()[0]![1]).matchAll(/"Table": "([^"]+)"/g),
        ([, table]) => table!.split('.').at(-1)!,
      ),
    )
  }
  const under = new Map<string, ReadonlySet<string>>()
  for (const name of ['incident_times', 'incident_labels', 'channels', 'teams'])
    under.set(name, await scans(`from ${name}`))
  let answered = 0
  await fc.assert(
    fc.asyncProperty(statement, async (sql) => {
      // A statement that DuckDB refuses, such as one with a circular `with`, reads nothing.
      const text = await confine({ connection, macros: new Set() }, sql, reach).catch(() => undefined)
      const tables = text === undefined ? undefined : await scans(text).catch(() => undefined)
      if (!tables) return
      answered++
      const named = [...under].filter(([name]) => new RegExp(`\\b${name}\\b`).test(sql))
      const allowed = new Set(named.flatMap(([, scanned]) => [...scanned]))
      for (const table of tables) expect([sql, table, allowed.has(table)]).toEqual([sql, table, true])
    }),
    { numRuns: 60 },
  )
  expect(answered).toBeGreaterThan(5)
  connection.closeSync()
  opened.close()
}, 120_000)
