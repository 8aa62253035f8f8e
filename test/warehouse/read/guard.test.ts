import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WarehouseError } from '../../../src/errors.ts'
import { filterByAccount } from '../../../src/warehouse/read/account-filter.ts'
import type { Reader } from '../../../src/warehouse/read/reader.ts'
import { EMEA, settleTwoAccounts } from '../../page/accounts-world.ts'
import { openReader } from '../../support/storage.ts'
import { scratch, warehouseFile } from '../../support/warehouse.ts'
import { FUNCTIONS, KINDS, LEGITIMATE, qualified } from './statements-to-guard.ts'

let reader: Reader
let folder: string
/** The catalog name that DuckDB derives from the file name. */
let file: string

beforeAll(async () => {
  const warehouse = await warehouseFile(settleTwoAccounts)
  folder = scratch()
  // In this file, catalog names of tables look like the schema information_schema, which every query may read.
  copyFileSync(warehouse, join(folder, 'information_schema.duckdb'))
  reader = await openReader(warehouse)
  file = String((await reader.query('select current_database()')).rows[0]![0])
})
afterAll(() => reader.close())

describe('a read-only statement runs', () => {
  test.each(LEGITIMATE)('%s', async (sql) => {
    let columns = 0
    for await (const piece of reader.stream(sql)) columns = piece.columns.length
    expect(columns).toBeGreaterThan(0)
  })
})

describe.each([
  ['a forbidden kind of statement', KINDS],
  ['a function that is not listed', FUNCTIONS],
] as const)('%s is rejected', (_, attacks) => {
  test.each(attacks)('%s', async (sql) => {
    for (const act of [() => reader.query(sql), () => reader.keep('kept', sql)])
      await expect(act()).rejects.toThrow(WarehouseError)
    await expect(reader.stream(sql)[Symbol.asyncIterator]().next()).rejects.toThrow(WarehouseError)
  })
})

test('a query with a catalog name is rejected, so it cannot read accounts that were not chosen', async () => {
  const session = await reader.session()
  await filterByAccount(session, [BigInt(EMEA.account_id)])
  const { rows } = await session.query('select distinct account_id from incidents')
  expect(rows).toEqual([[BigInt(EMEA.account_id)]])
  for (const sql of qualified(file)) {
    const answer = await session.query(sql).catch((error: unknown) => error)
    expect([sql, answer]).toEqual([sql, expect.any(WarehouseError)])
    expect([sql, (answer as Error).message]).toEqual([
      sql,
      expect.stringMatching(/not allowed|Only read-only/),
    ])
  }
  session.close()
})

test('a query cannot read hidden accounts even if the file is named information_schema', async () => {
  const other = await openReader(join(folder, 'information_schema.duckdb'))
  const session = await other.session()
  await filterByAccount(session, [BigInt(EMEA.account_id)])
  for (const sql of qualified('information_schema').filter((one) => !one.startsWith('show tables')))
    await expect(session.query(sql), sql).rejects.toThrow(WarehouseError)
  session.close()
  other.close()
})

test('every table function of DuckDB that is not listed as allowed is rejected', async () => {
  const { rows } = await reader.query(
    "select distinct function_name from duckdb_functions() where internal and function_type in ('table', 'table_macro', 'pragma')",
  )
  expect(rows.length).toBeGreaterThan(80)
  const known =
    /^(range|generate_series|unnest|repeat|repeat_row|json_each|json_tree|query_table|histogram|histogram_values|icu_calendar_names|pg_timezone_names|duckdb_(columns|constraints|functions|indexes|keywords|memory|schemas|tables|types|views))$/
  for (const [name] of rows.filter(([name]) => !known.test(String(name))))
    await expect(reader.query(`from "${name}"()`), String(name)).rejects.toThrow(/not allowed/)
})

test('all volatile functions of DuckDB are listed here, so a new one is noticed', async () => {
  const { rows } = await reader.query(
    "select distinct function_name from duckdb_functions() where internal and function_type = 'scalar' and stability = 'VOLATILE' order by all",
  )
  expect(rows.flat().join(' ')).toMatchInlineSnapshot(
    `"current_connection_id current_query current_query_id current_transaction_id currval error gen_random_uuid nextval random setseed sleep_ms stats uuid uuidv4 uuidv7 write_log"`,
  )
})
