import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { incidents } from '../../src/resources/incidents.ts'
import { resources } from '../../src/resources/index.ts'
import { peekWarehouse } from '../../src/warehouse/peek.ts'
import { createStage } from '../../src/warehouse/stage/stage.ts'
import { openWarehouse, type Warehouse } from '../../src/warehouse/warehouse.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'faultline-layout-'))
  path = join(folder, 'faultline.duckdb')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const bookkeeping =
  '_extra json, _hash ubigint, _seen_at timestamptz, _run_id bigint, vanished_at timestamptz'
const incidentColumns = incidents.columns.map(({ name, type }) => `"${name}" ${type}`).join(', ')

/** The tables as the program of layout 1 made them, with some rows and the views of that time, which are in the way. */
const LAYOUT_1 = `
create table faultline_meta (key varchar, value varchar);
insert into faultline_meta values ('layout', '1');
create table sync_runs (run_id bigint, started_at timestamptz, finished_at timestamptz, service_time_at timestamptz,
  status varchar, as_of_at timestamptz, rows_read bigint, rows_written bigint, requests bigint, throttled bigint,
  seconds double, version varchar, message varchar);
create table sync_windows (run_id bigint, window_id bigint, resource varchar, reason varchar, window_start timestamptz,
  window_end timestamptz, state varchar, rows_read bigint, total_seen bigint, requests bigint, cursor varchar,
  updated_at timestamptz, message varchar);
create table sync_checks (resource varchar, id varchar, checked_at timestamptz, is_missing boolean);
create table quarantine (run_id bigint, resource varchar, operation varchar, request_id varchar, path varchar,
  reason varchar, payload varchar, seen_at timestamptz);
create table schema_drift (resource varchar, field varchar, kind varchar, first_seen_at timestamptz, run_id bigint);
create table incidents (${incidentColumns}, ${bookkeeping});
create table incident_versions (${incidentColumns}, ${bookkeeping}, _replaced_at timestamptz);
create table incident_responders (incident_id varchar, ordinal bigint, person_id bigint, assigned_at timestamptz,
  acknowledged_at timestamptz, person_name varchar, email varchar, "as" varchar);
create table channels (channel_id bigint, channel_name varchar, status varchar, team_id bigint,
  managing_team_ids bigint[], ${bookkeeping});
create table teams (team_id bigint, team_name varchar, ${bookkeeping});
create table team_members (team_id bigint, ordinal bigint, person_id bigint);
create table members (member_id bigint, account_id bigint, member_name varchar, ${bookkeeping});
create table member_roles (member_id bigint, ordinal bigint, role_id bigint);
create view as_of as select max(as_of_at) as as_of_at from sync_runs;
insert into sync_runs (run_id, status, service_time_at, as_of_at, finished_at)
  values (1, 'ok', to_timestamp(1000), to_timestamp(1000), to_timestamp(1001));
insert into sync_windows (run_id, window_id, resource, reason, window_start, window_end, state)
  values (1, 0, 'incidents', 'new', to_timestamp(0), to_timestamp(1000), 'done');
insert into channels (channel_id, channel_name, team_id) values (5, 'Mail', 6);
insert into teams (team_id, team_name) values (6, 'Post');
insert into team_members values (6, 0, 7);
insert into sync_checks values ('channels', '5', to_timestamp(1000), false);
insert into quarantine (run_id, resource, payload) values (1, 'incidents', '{}');
`

const INCIDENTS = `
insert into incidents (incident_id, account_id, channel_id, start_time, progress)
  values ('a', 9007199254740993, 5, to_timestamp(500), 'Closed'), ('b', 9007199254740993, 5, to_timestamp(600), 'Open');
insert into incident_versions (incident_id, account_id) values ('a', 9007199254740993);
insert into incident_responders (incident_id, ordinal, person_id) values ('a', 0, 7);
`

async function write(file: string, statements: string) {
  const instance = await DuckDBInstance.create(file)
  const connection = await instance.connect()
  await connection.run(`set TimeZone = 'UTC'; ${statements}`)
  connection.closeSync()
  instance.closeSync()
}

const ACCOUNT = 9007199254740993n
const OWNED = [
  'sync_runs',
  'sync_checks',
  'quarantine',
  'incidents',
  'incident_versions',
  'incident_responders',
  'channels',
  'teams',
  'team_members',
]

/** Every account in every table that has rows, each once. */
async function accounts({ db }: Pick<Warehouse, 'db'>) {
  const found = new Set<unknown>()
  for (const table of OWNED) {
    const { rows } = await sql<{
      account_id: bigint | null
    }>`select account_id from ${sql.table(table)}`.execute(db)
    for (const row of rows) found.add(row.account_id)
  }
  return [...found]
}
const layout = async ({ db }: Pick<Warehouse, 'db'>) =>
  (await db.selectFrom('faultline_meta').select('value').where('key', '=', 'layout').execute())[0]?.value

describe('a file of layout 1', () => {
  test('is given to the account that its incidents name, and its views follow', async () => {
    await write(`${path}.sync`, LAYOUT_1 + INCIDENTS)
    const warehouse = await openWarehouse(path, resources, { accountId: 3n })
    try {
      expect(await accounts(warehouse)).toEqual([ACCOUNT])
      expect(await layout(warehouse)).toBe('2')
      const { rows } =
        await sql`select incident_id, team_name, as_of_at from incident_times order by 1`.execute(
          warehouse.db,
        )
      expect(rows).toEqual(
        ['a', 'b'].map((incident_id) => ({ incident_id, team_name: 'Post', as_of_at: new Date(1_000_000) })),
      )
    } finally {
      await warehouse.close()
    }
  })

  test('without incidents is given to the account of the run that opens it', async () => {
    await write(`${path}.sync`, LAYOUT_1)
    const without = await openWarehouse(path, resources)
    expect(await layout(without)).toBe('1')
    await without.close()
    const warehouse = await openWarehouse(path, resources, { accountId: 3n })
    expect(await layout(warehouse)).toBe('2')
    expect(await accounts(warehouse)).toEqual([3n])
    await warehouse.close()
  })

  test('is looked at as the sync would make it, and not written', async () => {
    await write(path, LAYOUT_1 + INCIDENTS)
    const seen = await peekWarehouse(path, resources, async (db) => ({
      accounts: await accounts({ db }),
      layout: await layout({ db }),
      // No such table in the file of then, and no such column.
      reports: await db.selectFrom('post_mortems').select('account_id').execute(),
      drift: await db.selectFrom('channels').select(['channel_name', 'is_private']).execute(),
    }))
    expect(seen).toEqual({
      accounts: [ACCOUNT],
      layout: '1',
      reports: [],
      drift: [{ channel_name: 'Mail', is_private: null }],
    })
  })
})

test('an unchanged record is still unchanged after the upgrade: its account stands where the record had it', async () => {
  const record = { incident_id: 'x', account_id: 4, title: 'as it was', start_time: 5, updated_at: 6 }
  const upsert = async (warehouse: Warehouse) => {
    const stage = createStage(incidents)
    stage.add([record])
    return warehouse.db
      .transaction()
      .execute(() => warehouse.upsert(stage, { runId: 1, seenAt: 0, accountId: 4n }))
  }
  const warehouse = await openWarehouse(path, resources)
  try {
    expect(await upsert(warehouse)).toMatchObject({ inserted: 1 })
    // The hash as layout 1 made it: over the stored values, the record's own account among them.
    const lists = incidents.columns.filter(({ type }) => type.endsWith('[]'))
    const content = [
      ...incidents.columns.map(({ name }) => `"${name}"`),
      'null::json',
      `''`,
      ...lists.map(({ name }) => `len("${name}")`),
    ]
    const { rows } = await sql
      .raw<{ same: boolean }>(`select _hash = hash(${content.join(', ')}) as same from incidents`)
      .execute(warehouse.db)
    expect(rows).toEqual([{ same: true }])
  } finally {
    await warehouse.close()
  }
})
