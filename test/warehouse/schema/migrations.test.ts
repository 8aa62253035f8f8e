import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { Kysely, Migrator } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { defaultSettings } from '../../../src/config/settings.ts'
import { resources } from '../../../src/resources/index.ts'
import { DuckDbDialect } from '../../../src/warehouse/dialect.ts'
import { openReader } from '../../../src/warehouse/read/reader.ts'
import { createTables } from '../../../src/warehouse/schema/create.ts'
import { ledger } from '../../../src/warehouse/schema/ledger-tables.ts'
import { migrations } from '../../../src/warehouse/schema/migrations.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'faultline-migrations-'))
  path = join(folder, 'faultline.duckdb')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Does something on the file, as whoever wrote it would. */
async function on(act: (connection: DuckDBConnection) => Promise<unknown>): Promise<void> {
  const instance = await DuckDBInstance.create(path)
  const connection = await instance.connect()
  await connection.run(`set TimeZone = 'UTC'`)
  try {
    await act(connection)
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** Makes the ledger as the first program did, and writes what its runs of two accounts left. */
async function firstLayout(connection: DuckDBConnection): Promise<void> {
  const migrator = new Migrator({
    db: new Kysely({ dialect: new DuckDbDialect(connection) }),
    provider: { getMigrations: async () => migrations },
    migrationTableName: 'faultline_migrations',
    migrationLockTableName: 'faultline_migrations_lock',
  })
  expect((await migrator.migrateTo('001-ledger')).error).toBeUndefined()
  await connection.run(`
    insert into sync_runs (run_id, account_id, status) values (1, 11, 'ok'), (2, 12, 'ok');
    insert into sync_windows (run_id, window_id, resource, state)
      values (1, 0, 'incidents', 'done'), (2, 0, 'incidents', 'open');
    insert into schema_drift (run_id, resource, field) values (2, 'teams', 'mood');
    insert into report_runs (run_key, sync_run_id) values ('k', 2)`)
}

async function rowsOf(connection: DuckDBConnection, sql: string) {
  return (await connection.runAndReadAll(sql)).getRowsJS()
}

test('a file of the first layout is brought to the latest, once, and keeps its rows', async () => {
  await on(firstLayout)
  for (const _again of [1, 2]) {
    await on(async (connection) => {
      await createTables(connection, resources)
      expect(
        await rowsOf(connection, 'select account_id, run_id, state from sync_windows order by all'),
      ).toEqual([
        [11n, 1n, 'done'],
        [12n, 2n, 'open'],
      ])
      expect(await rowsOf(connection, 'select account_id, field from schema_drift')).toEqual([[12n, 'mood']])
      expect(await rowsOf(connection, 'select name from faultline_migrations order by 1')).toEqual(
        Object.keys(migrations).map((name) => [name]),
      )
    })
  }
})

test('what comes of all migrations is the ledger as it is declared, of a new file and of an old one', async () => {
  const declared = ledger
    .flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name} ${column.type}`))
    .sort()
  for (const before of [firstLayout, async () => undefined]) {
    rmSync(path, { force: true })
    await on(before)
    await on(async (connection) => {
      await createTables(connection, resources)
      const found = await rowsOf(
        connection,
        `select table_name || '.' || column_name || ' ' || replace(data_type, 'TIMESTAMP WITH TIME ZONE', 'TIMESTAMPTZ')
         from duckdb_columns() where table_name in (${ledger.map(({ name }) => `'${name}'`).join(', ')})`,
      )
      expect(found.flat().sort()).toEqual(declared)
    })
  }
})

test('a file of a newer program is refused by writers and readers, in one sentence, and stays as it is', async () => {
  await on(async (connection) => {
    await createTables(connection, resources)
    await connection.run(`insert into faultline_migrations values ('099-from-tomorrow', '2030-01-01')`)
  })
  const before = readFileSync(path)
  const message = `${path} was written by a newer Faultline: its tables had the change "099-from-tomorrow", which this version does not know.`
  const refusal = { message, next: 'Update Faultline, or use another warehouse file.' }
  await on(async (connection) => {
    await expect(createTables(connection, resources)).rejects.toMatchObject(refusal)
  })
  await expect(openReader(path, { settings: defaultSettings })).rejects.toMatchObject(refusal)
  expect(readFileSync(path).equals(before)).toBe(true)
})
