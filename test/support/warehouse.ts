import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { sql, type Transaction } from 'kysely'
import { afterAll, beforeAll, beforeEach, inject } from 'vitest'
import { tablesOf } from '../../src/definitions/tables.ts'
import { resources } from '../../src/resources/index.ts'
import type { WarehouseLocation } from '../../src/settings/warehouse-location.ts'
import { accountFiles, makeFolder } from '../../src/warehouse/file/files.ts'
import type { Database } from '../../src/warehouse/schema/database.ts'
import { ledger } from '../../src/warehouse/schema/ledger-tables.ts'
import type { Warehouse } from '../../src/warehouse/warehouse.ts'
import { openWarehouse, publishedAt } from './storage.ts'
import { fill } from './tables.ts'

const tables = [...ledger, ...resources.flatMap(tablesOf)].map((table) => table.name)

/** A real warehouse for the tests of a file, emptied before each test. */
export function emptyWarehouse(): () => Warehouse {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-sync-'))
  let warehouse: Warehouse
  beforeAll(async () => {
    const path = join(folder, 'faultline.duckdb')
    preparedWarehouse(path, 1)
    warehouse = await openWarehouse(path, resources, { accountId: 1n })
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

/** A warehouse in which each commit first waits for `gate`, which may reject. */
export function gated(real: Warehouse, gate: (commit: number) => Promise<unknown>): Warehouse {
  let commits = 0
  const execute = (work: (tx: Transaction<Database>) => Promise<unknown>) =>
    real.db.transaction().execute(async (tx) => {
      const result = await work(tx)
      await gate(++commits)
      return result
    })
  const db = new Proxy(real.db, {
    get(target, name) {
      if (name === 'transaction') return () => ({ execute })
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { ...real, db }
}

/** Returns the rows of a query, with whole numbers as numbers and times as Unix seconds. */
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

export function scratch(): string {
  return mkdtempSync(join(tmpdir(), 'faultline-report-'))
}

const reports = scratch()
let count = 0

export function reportFile(body: string, front = 'title: T\nparams: { period: 13 weeks }'): string {
  const file = join(reports, `r${count++}.md`)
  writeFileSync(file, `---\n${front}\n---\n${body}`)
  return file
}

/** Fills a warehouse that already has tables and views. */
export type Settle = (connection: DuckDBConnection) => Promise<void>

/** Contents that many test files use, each with the path of the warehouse in which it was first created. */
const shared = new Map<Settle, string | undefined>()

/** Marks content that never changes, so that its warehouse is created once per process and then copied. */
export function sharedWorld(settle: Settle): Settle {
  shared.set(settle, undefined)
  return settle
}

/** Creates a warehouse file with the real views, filled by `settle`, and returns its path. */
export async function warehouseFile(settle: Settle): Promise<string> {
  if (!shared.has(settle)) return filledFile(settle)
  const made = shared.get(settle) ?? (await filledFile(settle))
  shared.set(settle, made)
  const path = join(scratch(), 'warehouse.duckdb')
  copyFileSync(made, path)
  return path
}

async function filledFile(settle: Settle): Promise<string> {
  const path = join(scratch(), 'warehouse.duckdb')
  copyFileSync(inject('templates').synced, path)
  const instance = await DuckDBInstance.create(path, { threads: '1' })
  const connection = await instance.connect()
  await connection.run("set TimeZone = 'UTC'")
  await settle(connection)
  connection.closeSync()
  instance.closeSync()
  return path
}

/** Copies empty working files into place. The sync opens these files faster than it creates new ones. */
export function preparedWarehouse(place: WarehouseLocation, ...accounts: readonly (bigint | number)[]): void {
  const { files } = publishedAt(place)
  makeFolder(files)
  for (const account of accounts)
    copyFileSync(inject('templates').synced, accountFiles(files, BigInt(account)).working)
}

const folder = fileURLToPath(new URL('../../../shared/data/uci498/', import.meta.url))

/** The folder of the 24,918 real incidents, or null if it is not beside the checkout. */
export const uci498 = existsSync(folder) ? folder : null

export const settleUci498 = sharedWorld(async (connection) => {
  const file = (name: string) => `read_ndjson_objects('${folder.replaceAll("'", "''")}${name}.ndjson.gz')`
  for (const table of ['incidents', 'channels', 'teams', 'members'])
    await fill(connection, table, file(table))
})
