import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { resources } from '../../src/resources/index.ts'
import { ledger } from '../../src/warehouse/ledger.ts'
import { tablesOf } from '../../src/warehouse/tables.ts'
import { openWarehouse, type Warehouse } from '../../src/warehouse/warehouse.ts'

const tables = [...ledger, ...resources.flatMap(tablesOf)].map((table) => table.name)

/** A real warehouse for the tests of a file, empty before each of them. */
export function emptyWarehouse(): () => Warehouse {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-sync-'))
  let warehouse: Warehouse
  beforeAll(async () => {
    warehouse = await openWarehouse(join(folder, 'faultline.duckdb'), resources)
  })
  beforeEach(async () => {
    await warehouse.db.transaction().execute(async (tx) => {
      for (const table of tables) await sql`delete from ${sql.table(table)}`.execute(tx)
    })
  })
  afterAll(async () => {
    await warehouse.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return () => warehouse
}

/** The rows of a query, whole numbers as numbers and times as Unix seconds. */
export async function rowsOf(warehouse: Warehouse, query: string): Promise<Record<string, unknown>[]> {
  const { rows } = await sql.raw<Record<string, unknown>>(query).execute(warehouse.db)
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])),
  )
}

function plain(value: unknown): unknown {
  if (value instanceof Date) return value.getTime() / 1_000
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value
}
