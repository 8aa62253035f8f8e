import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { Kysely, Migrator } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { resources } from '../../../src/resources/index.ts'
import { defaultSettings } from '../../../src/settings/settings.ts'
import { DuckDbDialect } from '../../../src/warehouse/dialect.ts'
import { createTables } from '../../../src/warehouse/schema/create.ts'
import { ledger } from '../../../src/warehouse/schema/ledger-tables.ts'
import { migrations } from '../../../src/warehouse/schema/migrations.ts'
import { folderOfEachTest } from '../../support/folder.ts'
import { openReader } from '../../support/storage.ts'

const folder = folderOfEachTest()
let path: string
beforeEach(() => {
  path = join(folder(), 'faultline.duckdb')
})

/** Opens the file as its writer would, and calls `act`. */
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

/** Creates the sync tables of the first Faultline version, with runs of two accounts. */
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

test('a warehouse file with the first layout is migrated once, and keeps its rows', async () => {
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

test('all migrations together produce the declared sync tables, in new and in older files', async () => {
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

test('a warehouse file from a newer Faultline is rejected and left unchanged', async () => {
  await on(async (connection) => {
    await createTables(connection, resources)
    await connection.run(`insert into faultline_migrations values ('099-from-tomorrow', '2030-01-01')`)
  })
  const before = readFileSync(path)
  const message = `${path} was written by a newer Faultline: its tables contain the migration "099-from-tomorrow", which is unknown to this version.`
  const refusal = { message, next: 'Update Faultline, or use another warehouse file.' }
  await on(async (connection) => {
    await expect(createTables(connection, resources)).rejects.toMatchObject(refusal)
  })
  await expect(openReader(path, { settings: defaultSettings })).rejects.toMatchObject(refusal)
  expect(readFileSync(path).equals(before)).toBe(true)
})

test('a migration changes hexadecimal ids to lower case, and keeps the copy that was read last', async () => {
  await on(async (connection) => {
    await createTables(connection, resources)
    // Restores the layout before migration 006.
    await connection.run(`
      delete from faultline_migrations where name >= '006';
      insert into incidents (account_id, incident_id, post_mortem_id, title, _seen_at) values
        (1, 'ABC1', 'FF00', 'old', '2026-01-01'), (1, 'abc1', 'PM-Q', 'new', '2026-01-02'),
        (2, 'ABC1', 'ff00', 'other account', '2026-01-01'), (1, '0def', '', 'lower', '2026-01-01');
      insert into incident_responders (account_id, incident_id, ordinal, person_id) values
        (1, 'ABC1', 0, 5), (1, 'abc1', 0, 6), (2, 'ABC1', 0, 7), (1, '0def', 0, 8);
      insert into incident_versions (account_id, incident_id, title) values (1, 'ABC1', 'older');
      insert into post_mortems (account_id, post_mortem_id, title, _seen_at) values (1, 'FF00', 'pm', '2026-01-01');
      insert into post_mortem_incidents (account_id, post_mortem_id, ordinal, incident_id) values (1, 'FF00', 0, 'ABC1');
      insert into sync_checks (account_id, resource, id) values (1, 'post_mortems', 'FF00'), (1, 'post_mortems', 'PM-Q');
      insert into quarantine (account_id, resource, record_key) values (1, 'incidents', 'ABC9')`)
  })
  for (const _again of [1, 2]) {
    await on(async (connection) => {
      await createTables(connection, resources)
      const all = async (sql: string) => (await rowsOf(connection, sql)).map((row) => row.join(' '))
      expect(
        await all('select account_id, incident_id, post_mortem_id, title from incidents order by all'),
      ).toEqual(['1 0def  lower', '1 abc1 PM-Q new', '2 abc1 ff00 other account'])
      expect(
        await all('select account_id, incident_id, person_id from incident_responders order by all'),
      ).toEqual(['1 0def 8', '1 abc1 6', '2 abc1 7'])
      expect(await all('select incident_id from incident_versions')).toEqual(['abc1'])
      expect(await all('select post_mortem_id, incident_id from post_mortem_incidents')).toEqual([
        'ff00 abc1',
      ])
      expect(await all('select id from sync_checks order by 1')).toEqual(['PM-Q', 'ff00'])
      expect(await all('select record_key from quarantine')).toEqual(['abc9'])
    })
  }
})

test('a migration converts views that only declare parameters into macros', async () => {
  await on(async (connection) => {
    await createTables(connection, resources)
    await connection.run(`
      delete from faultline_migrations where name >= '007';
      delete from faultline_meta where key = 'definitions';
      drop macro table no_counts;
      create view no_counts as select 0 as week limit 0`)
    expect(await rowsOf(connection, 'show tables')).toContainEqual(['no_counts'])
    await createTables(connection, resources)
    const names = (await rowsOf(connection, 'show tables')).flat().map(String)
    expect(names.filter((name) => name.startsWith('no_'))).toEqual([])
    expect(await rowsOf(connection, 'select column_name from (describe from no_counts())')).toEqual([
      ['week'],
      ['part'],
      ['n'],
    ])
  })
})
