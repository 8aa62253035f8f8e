import type { DuckDBConnection } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defaultSettings } from '../../src/config/settings.ts'
import { WarehouseError } from '../../src/errors.ts'
import { reachOf } from '../../src/mcp/tools/names-nobody.ts'
import { resources } from '../../src/resources/index.ts'
import { publishedAt } from '../../src/warehouse/file-or-lake.ts'
import { confine, type Reach } from '../../src/warehouse/read/reach.ts'
import { openReader, type Reader } from '../../src/warehouse/read/reader.ts'
import { readSchema } from '../../src/warehouse/schema/schema.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { settleCompany } from '../support/world.ts'

/** Ids of people begin with these digits, and nothing else does. */
const IDS = 770_000_000_000n
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

/** Makes everything that says who recognizable, wherever it is stored. */
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

/** Runs a statement as an assistant, and returns its rows as one text. */
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

test('the warehouse holds what may not be told, and the test finds it', async () => {
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

/** Relations about people, each in a form of its own. */
const RELATIONS = [
  'from members',
  'from main.members',
  'from "MEMBERS"',
  'table members',
  'select count(*) from members',
  'select m from members m',
  'select members from members',
  'select to_json(m) from members m',
  'select columns(*) from members',
  "select columns('member.*') from members",
  'select * exclude (account_id) from members',
  'select * rename (member_name as title) from members',
  'select #3 from members',
  'from members as t(a, b, c)',
  'with a as (from members) from a',
  'with members as (from members) from members',
  'with recursive members as (from members union all from members) from members',
  'with a(x, y, z) as (from members) select z from a',
  'with title as (select 1 as x) select (select max(member_name) from members) from title',
  'select (select string_agg(member_name) from members)',
  "select exists (from members where member_name > 'a')",
  'select 1 where 1 in (select member_id from members)',
  'from incident_times join members on true select member_name',
  'from incident_times, lateral (from members) select member_name',
  'from incident_times natural join members',
  'from incident_times positional join members',
  'from incident_times i asof join members m on i.account_id = m.account_id and i.alert_cnt >= m.member_id',
  'from incident_times semi join members on owner_id = member_id select count(*)',
  'select 1 union all select member_id from members',
  'select title from incident_times except select member_name from members',
  'select title from incident_times union by name from members',
  'describe members',
  'summarize members',
  'summarize select * from members',
  'from (summarize members)',
  'with a as (summarize members) from a',
  'show tables',
  'show all tables',
  'show',
  "pivot members on member_name in ('Priya') using count(*)",
  'unpivot members on member_name into name n value v',
  'from members pivot (count(*) for member_id in (1, 2))',
  'from members tablesample 5 rows',
  'select distinct on (member_name) * from members',
  'select unnest(m) from members m',
  "select struct_extract(m, 'member_name') from members m",
  'select list(m) from members m',
  'select histogram(member_name) from members',
  'select min_by(member_name, member_id) from members',
  'from incidents',
  'select title, owner from incidents',
  "select owner->>'$.person_name' from incidents",
  'from incident_versions',
  'from incident_responders',
  'from person_assignments',
  'from person_load()',
  'from main.person_load()',
  'from person_names',
  'from incident_people',
  'from incident_holders()',
  'from response_spans()',
  'from pages_within(now(), now())',
  'from metric_person_load',
  'from metric_response_effort',
  'from own_incidents',
  'from quarantine',
  'from waiting',
  'from config_corrections',
  'from config_automation',
  'from config_person_zones',
  'from faultline_meta',
]
/** Functions and arguments that read a relation by its name. */
const BY_NAME = [
  "from histogram_values(members, email, bin_count := 500, technique := 'sample')",
  'from histogram_values(members, phone)',
  'from histogram_values("members", member_name)',
  'from histogram(members, member_name)',
  'from histogram_values(incidents, reporter_email)',
  "from histogram_values('members', member_name)",
  'from histogram_values(incident_times, owner_id)',
  "from histogram_values(incidents, (owner->>'$.person_name') || ' ' || (epoch(ack_time) - epoch(start_time))::varchar, bin_count := 200, technique := 'sample')",
  "from query_table('members')",
  "from query_table(['members'])",
  "from query_table('mem' || 'bers')",
  "from query('from members')",
  "from json_execute_serialized_sql(json_serialize_sql('from members'))",
  "from time_measures(of_incidents := 'members')",
  "from time_measures(of_incidents := ' MEMBERS ')",
  'from time_measures(of_incidents := \'"members"\')',
  "from time_measures(of_incidents := 'main.members')",
  "from time_measures(of_incidents := 'mem' || 'bers')",
  "from time_measures(of_incidents := (select 'members'))",
  "from time_measures(of_incidents := coalesce(null, 'members'))",
  "from duration_changes(of_observations := 'members')",
  "from incidents_in('incidents', now(), now())",
  "from targets_for(of_incidents := 'own_incidents')",
  'from incident_facets(owner_id)',
  'from incident_counts(owner_id, closer_id)',
  "with mine as (select owner_id as place from incident_times) from targets_for(of_incidents := 'mine')",
  "with mine as (select *, owner_id as series from incident_times) from duration_figures(of_durations := 'mine')",
  "with mine as (select closer_id::varchar as series, 1 as place, time_to_ack_s as seconds, 1 as n from incident_times) from duration_figures(of_durations := 'mine')",
  "from duckdb_table_sample('members')",
  "from pragma_storage_info('members')",
  'from duckdb_columns()',
  'from duckdb_columns',
  'from duckdb_tables()',
  'from sqlite_master',
  'from information_schema.columns',
  'from pg_catalog.pg_class',
  'from pg_tables',
]
/** Columns that say who, of a relation that may be read, and times by them. */
const COLUMNS = [
  'select owner_id from incident_times',
  'select "OWNER_ID" from incident_times',
  'select incident_times.owner_id from incident_times',
  'select main.incident_times.owner_id from main.incident_times',
  'select i.owner_id as title from incident_times i',
  'select * from incident_times',
  'from incident_times',
  'select i from incident_times i',
  'select incident_times from incident_times',
  'select to_json(i) from incident_times i',
  'select i::varchar from incident_times i',
  'select row(i) from incident_times i',
  "select {'a': i} from incident_times i",
  'select list(i) from incident_times i',
  'select unnest(i) from incident_times i',
  "select struct_extract(i, 'owner_id') from incident_times i",
  "select i.*like('own%') from incident_times i",
  "select columns('.*er_id') from incident_times",
  "select columns(c -> c like 'owner%') from incident_times",
  "select max(columns('(owner|closer)_id')) from incident_times",
  'select coalesce(*columns(*)::varchar) from incident_times',
  'select #27, #28, #29 from incident_times',
  `from incident_times as t(${Array.from({ length: 30 }, (_, index) => `c${index}`).join(', ')})`,
  `with t(${Array.from({ length: 30 }, (_, index) => `c${index}`).join(', ')}) as (from incident_times) from t`,
  'select * rename (owner_id as title2) from incident_times',
  'select * replace (owner_id as title) from incident_times',
  'unpivot incident_times on owner_id into name n value v',
  "unpivot (select * from incident_times) on columns('.*_id') into name n value v",
  'with members as (select 1 as a) select * from (summarize members)',
  'summarize incident_times',
  'summarize select * from incident_times',
  'describe incident_times',
  'select owner_id, median(time_to_ack_s) from incident_times group by all',
  'select median(time_to_ack_s) from incident_times group by owner_id',
  'select median(time_to_ack_s) over (partition by owner_id) from incident_times',
  'select title from incident_times order by owner_id',
  `select median(time_to_ack_s) from incident_times where owner_id = ${IDS + 1n}`,
  `select median(time_to_ack_s) filter (where closer_id = ${IDS + 1n}) from incident_times`,
  'select title from incident_times qualify row_number() over (partition by owner_id order by time_to_ack_s) = 1',
  'select distinct on (owner_id) time_to_ack_s from incident_times',
  'select median(a.time_to_ack_s) from incident_times a join incident_times b using (owner_id) group by b.title',
  'select arg_max(owner_id, time_to_ack_s) from incident_times',
  'select hash(owner_id) from incident_times',
  'select owner_id is null from incident_times',
  'select (select owner_id) from incident_times',
  'select list_transform([1], lambda x: owner_id) from incident_times',
  'select assigned_to from incident_times',
  'select owner_id from open_incidents',
  'select creator_id from channels',
  'from channels',
  'from open_incidents',
  'from post_mortems',
  "from incident_facets('UTC')",
  "select owner_id from incident_facets('UTC')",
  "from incidents_in('incident_times', timestamptz '2020-01-01', timestamptz '2030-01-01')",
  "select * from incidents_in('incident_times', timestamptz '2020-01-01', timestamptz '2030-01-01') as t(a, b, c)",
  'explain select owner_id from incident_times',
  'explain analyze select * from incident_times',
  'select stats(owner_id) from incident_times',
  'with a as (from incident_times), b as (from a) select owner_id from b',
  'with recursive r as (from incident_times limit 1 union all from r where false) select r from r',
]

test('there are a hundred ways around and more', () => {
  expect([RELATIONS, BY_NAME, COLUMNS].flat().length).toBeGreaterThanOrEqual(100)
})

describe('an assistant is refused', () => {
  test.each([...RELATIONS, ...BY_NAME])('%s', async (sql) => {
    await expect(answer(sql)).rejects.toThrow(WarehouseError)
  })
})

describe('an assistant does not learn who', () => {
  test.each(COLUMNS)('%s', async (sql) => {
    const text = await answer(sql).catch((error: unknown) => {
      if (error instanceof WarehouseError) return ''
      throw error
    })
    expect(saysWho(text)).toBe(false)
    expect(text).not.toMatch(/"(owner|closer|creator)_id"|"assigned_to"/)
  })
})

/** Statements of assistants about what they may read. */
const ANSWERED = [
  'select count(*) as n from incident_times',
  'from incident_times select title, team_name limit 1',
  'from incident_times t select t.title limit 1',
  'select incident_times.title from incident_times limit 1',
  'select team_name, count(*), median(time_to_ack_s) from incident_times group by all order by all',
  'from metric_acknowledgement',
  "from acknowledgement(started_from := timestamptz '2026-01-01')",
  "from time_measures(of_incidents := 'incident_times')",
  "with mine as (from incident_times where team_name > '') from time_measures(of_incidents := 'mine')",
  'with a as (from incident_times), b as (select a.team_name from a) select count(*) from b',
  'with recursive r as (select 1 as i union all select r.i + 1 from r where r.i < 3) select sum(i) from r',
  "pivot incident_times on incident_severity in ('Critical', 'Warning') using count(*) group by team_name",
  'unpivot (select num, title from incident_times limit 2) on num, title into name n value v',
  'summarize incident_times',
  'describe incident_times',
  'from incident_times i join incident_labels l using (incident_id) select count(*)',
  'from incident_times tablesample 10 rows select num',
  'from (values (1, 2)) v(a, b), range(2) r(x), unnest([1]) u(y) select a, x, y',
  'select i.title, l.value from incident_times i left join lateral (select value from incident_labels where incident_id = i.incident_id limit 1) l on true limit 1',
  'select title from incident_times where incident_id in (select incident_id from incident_labels) limit 1',
  'select quantile_cont(time_to_ack_s, [0.5, 0.9]), p90(time_to_ack_s) from incident_times',
  'select title from incident_times as t(a, b, title) limit 1',
  "select timestamptz '2026-01-01', 1.50, 1e3, 12345678901234567890, 'it''s', null, interval 2 days",
]

describe('an assistant is answered', () => {
  test.each(ANSWERED)('%s', async (sql) => expect(await answer(sql)).toMatch(/name/))

  test('with the rows that a person gets', async () => {
    const sql =
      'select team_name, incident_severity, count(*) as n, median(time_to_ack_s) as m from incident_times group by all order by all'
    const found: unknown[] = []
    for await (const { rows } of reader.stream(sql, {}, reach)) found.push(...rows)
    expect(found).toEqual((await reader.query(sql)).rows)
    expect(found.length).toBeGreaterThan(2)
  })
})

/** Parts of statements that read a relation. */
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

test('the tables that DuckDB scans for an assistant are those of the relations that it may read', async () => {
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
  /** What each relation reads by itself. */
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
