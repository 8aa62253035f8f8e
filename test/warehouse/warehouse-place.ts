import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, expect } from 'vitest'
import { WarehouseError } from '../../src/errors.ts'
import { resources } from '../../src/resources/index.ts'
import type { Resource } from '../../src/resources/resource.ts'
import type { Warehouse } from '../../src/warehouse/warehouse.ts'
import { openWarehouse } from '../support/storage.ts'

/** A place for a warehouse, with a new folder for each test. */
export interface WarehousePlace {
  readonly folder: string
  /** The path, which a test may change. */
  path: string
  /** Opens the warehouse there, and closes it after the test. */
  opened(known?: readonly Resource[]): Promise<Warehouse>
  /** Registers a warehouse to be closed after the test. */
  toClose(warehouse: Warehouse): void
  /** Runs that a reader of the published copy sees. */
  published(): Promise<bigint[]>
}

export function placeOfTests(): WarehousePlace {
  const open: Warehouse[] = []
  const place = {
    folder: '',
    path: '',
    async opened(known: readonly Resource[] = resources) {
      const warehouse = await openWarehouse(place.path, known, { accountId: 1n })
      open.push(warehouse)
      return warehouse
    },
    toClose: (warehouse: Warehouse) => void open.push(warehouse),
    published: () => publishedRuns(place.path),
  }
  beforeEach(() => {
    place.folder = mkdtempSync(join(tmpdir(), 'faultline-warehouse-'))
    place.path = join(place.folder, 'faultline.duckdb')
  })
  afterEach(async () => {
    for (const warehouse of open.splice(0)) await warehouse.close()
    rmSync(place.folder, { recursive: true, force: true })
  })
  return place
}

async function publishedRuns(path: string): Promise<bigint[]> {
  const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  try {
    const result = await connection.runAndReadAll('select run_id from sync_runs order by run_id')
    return result.getRows().map((row) => row[0] as bigint)
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

export function insertRun(warehouse: Warehouse, run: number): Promise<unknown> {
  return warehouse.db
    .insertInto('sync_runs')
    .values({ account_id: warehouse.accountId, run_id: run, status: 'ok' })
    .execute()
}

export async function runsIn(warehouse: Warehouse): Promise<unknown[]> {
  const rows = await warehouse.db.selectFrom('sync_runs').select('run_id').orderBy('run_id').execute()
  return rows.map((row) => row.run_id)
}

export async function failure(call: Promise<unknown>): Promise<WarehouseError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(WarehouseError)
  return error as WarehouseError
}
