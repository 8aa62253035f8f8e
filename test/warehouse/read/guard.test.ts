import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WarehouseError } from '../../../src/errors.ts'
import { narrow } from '../../../src/warehouse/read/narrow.ts'
import { openReader, type Reader } from '../../../src/warehouse/read/reader.ts'
import { EMEA, settleTwoAccounts } from '../../report/accounts-world.ts'
import { scratch, warehouseFile } from '../../support/warehouse.ts'

let reader: Reader
let folder: string
/** The name that DuckDB gives the file's catalog. */
let file: string

beforeAll(async () => {
  const warehouse = await warehouseFile(settleTwoAccounts)
  folder = scratch()
  // Tables of this file look as if they were in a schema that everybody may read.
  copyFileSync(warehouse, join(folder, 'information_schema.duckdb'))
  reader = await openReader(warehouse)
  file = String((await reader.query('select current_database()')).rows[0]![0])
})
afterAll(() => reader.close())

/** One statement of each form that people write. */
const LEGITIMATE = [
  'select 1',
  'select count(*) from incidents;',
  'from incidents limit 3',
  'from incidents select title limit 1',
  'table incidents',
  'values (1, 2), (3, 4)',
  'select * from main.incidents limit 1',
  'select main.incidents.title from main.incidents limit 1',
  'select i.title from incidents i limit 1',
  'select * exclude (title) from incidents limit 1',
  'select * replace (upper(title) as title) from incidents limit 1',
  "select columns('.*_time') from incidents limit 1",
  "select columns(c -> c like '%_id') from incidents limit 1",
  'describe incidents',
  'describe select 1',
  'show incidents',
  'show tables',
  'show all tables',
  'summarize incidents',
  'from (describe incidents) select column_name',
  'explain select 1',
  'explain analyze select count(*) from incidents',
  'explain (format json) select 1',
  '-- why\nexplain select 1',
  "pivot incidents on incident_severity in ('Critical', 'Warning') using count(*)",
  "pivot (select incident_severity, channel_name from incidents) on incident_severity in ('Critical') group by channel_name",
  "from incidents pivot (count(*) for incident_severity in ('Critical', 'Info'))",
  'unpivot (select 1 as a, 2 as b) on a, b into name n value v',
  'with a as (from incidents) select count(*) from a',
  'with a as materialized (select 1 as x), b as (select x + 1 as y from a) from b',
  'with recursive r as (select 1 as i union all select i + 1 from r where i < 5) select sum(i) from r',
  'select range from range(3)',
  'from range(1, 10, 2)',
  "from generate_series(date '2026-01-01', date '2026-01-05', interval 1 day)",
  'select unnest([1, 2, 3])',
  'from unnest([1, 2, 3]) as t(x)',
  'select i.title, u.x from (from incidents limit 1) i, unnest([1, 2]) u(x)',
  'from repeat(1, 3)',
  `from json_each('{"a": 1}')`,
  'select quantile_cont(alert_cnt, [0.5, 0.9]) from incidents',
  'select median(alert_cnt), mad(alert_cnt), p90(alert_cnt) from incidents',
  'select approx_quantile(alert_cnt, 0.5), histogram(alert_cnt) from incidents',
  'from histogram(incidents, alert_cnt)',
  'from histogram_values(incidents, alert_cnt, bin_count := 5)',
  "from query_table('incidents') limit 1",
  "from query_table(['incidents', 'incidents']) limit 1",
  "from query_table('main.incidents') limit 1",
  "from time_measures(of_incidents := 'incident_times')",
  "with mine as (from incident_times) from time_measures(of_incidents := 'mine')",
  "from incident_counts('week', 'Europe/Berlin', date '2026-01-01', date '2026-01-01' + interval 4 weeks)",
  'from main.acknowledgement()',
  'from acknowledgement(started_from := (select min(start_time) from incidents))',
  'from metric_acknowledgement',
  'select wilson_interval(3, 10)',
  'select title from incidents qualify row_number() over (partition by account_id order by start_time desc) = 1',
  'select account_id, count(*) filter (where alert_cnt > 1) from incidents group by rollup (account_id)',
  'select count(*) from incidents a asof join incidents b on a.account_id = b.account_id and a.start_time >= b.start_time',
  'from incidents a semi join channels c using (channel_id) select count(*)',
  'from incidents a positional join channels c limit 1',
  'select title from incidents union all by name select channel_name as title from channels',
  'select count(*) from incidents tablesample 50 percent (bernoulli, 3)',
  "select list_transform([1, 2], lambda x: x + 1), [x for x in [1, 2] if x > 1], {'a': 1}.a, map {'k': 1}['k']",
  "select start_time at time zone 'Asia/Tokyo', extract(year from start_time), date_trunc('week', start_time) from incidents",
  "select strftime(now(), '%Y'), current_date, today(), current_setting('TimeZone')",
  'from duckdb_tables()',
  'select column_name from information_schema.columns',
  'select table_name from information_schema.tables',
  'from duckdb_functions() limit 1',
  'from pg_timezone_names() limit 1',
  'select name from sqlite_master limit 1',
]

test('there are sixty legitimate statements and more', () => {
  expect(LEGITIMATE.length).toBeGreaterThanOrEqual(60)
})

describe('a legitimate statement runs', () => {
  test.each(LEGITIMATE)('%s', async (sql) => {
    let columns = 0
    for await (const piece of reader.stream(sql)) columns = piece.columns.length
    expect(columns).toBeGreaterThan(0)
  })
})

/** Other kinds of statement, and several at once. */
const KINDS = [
  'pragma table_info(incidents)',
  'pragma version',
  'pragma database_list',
  "pragma json_execute_serialized_sql(json_serialize_sql('select 1'))",
  "pragma json_execute_serialized_sql('{}')",
  'pragma enable_profiling',
  'pragma force_checkpoint',
  "pragma import_database('x')",
  'call range(3)',
  'call enable_logging()',
  'set threads = 1',
  'reset threads',
  'use main',
  'begin transaction',
  'vacuum',
  'checkpoint',
  'load json',
  'install json',
  "attach ':memory:' as other",
  'detach other',
  'prepare p as select 1',
  'execute p',
  'deallocate p',
  "export database 'x'",
  "copy incidents to 'x.csv'",
  "copy (select 1) to 'x.csv'",
  'create temp table t as select 1',
  'create or replace macro m() as 1',
  'insert into incidents default values',
  "update incidents set title = 'x'",
  'delete from incidents',
  'drop view incident_times',
  'alter table incidents add column x int',
  "comment on table incidents is 'x'",
  'explain pragma version',
  'explain explain select 1',
  'explain analyze delete from incidents',
  "explain analyze copy (select 1) to 'x.csv'",
  'explain (analyze, format json) drop table incidents',
  'select 1; select 2',
  'select 1; pragma version',
  'explain select 1; drop table incidents',
  'with a as (select 1) insert into incidents from a',
  'pivot incidents on incident_severity',
  'select 1\0; drop table incidents',
  ';',
  '/* nothing */',
  'from incidents limit 1 returning 1',
  'merge into incidents using incidents on true when matched then delete',
]

/** Table functions and relations of DuckDB that are not listed. */
const FUNCTIONS = [
  "from read_text('/etc/passwd')",
  "from read_csv('/etc/passwd')",
  "from '/etc/passwd'",
  'from "x.csv"',
  "from 'file:///etc/passwd'",
  "from glob('/*')",
  "from sniff_csv('/etc/passwd')",
  "from parquet_metadata('x')",
  "from parquet_scan('x')",
  "from read_duckdb('x')",
  "from query('select 1')",
  "from main.query('select 1')",
  "from json_execute_serialized_sql(json_serialize_sql('select 1'))",
  'from enable_logging()',
  'from "ENABLE_LOGGING"()',
  "from enable_logging('a', storage := 'file')",
  'from disable_logging()',
  'from truncate_duckdb_logs()',
  'from enable_profiling()',
  'from enable_peg_parser()',
  'from disable_peg_parser()',
  'from check_peg_parser()',
  'from checkpoint()',
  'from force_checkpoint()',
  'from arrow_scan(1, 2, 3)',
  'from seq_scan()',
  'from test_all_types()',
  'from duckdb_settings()',
  'from duckdb_secrets()',
  'from duckdb_databases()',
  'from duckdb_databases',
  'from duckdb_logs()',
  'from duckdb_logs',
  'from duckdb_extensions()',
  'from duckdb_external_file_cache()',
  'from duckdb_temporary_files()',
  "from duckdb_table_sample('incidents')",
  "from duckdb_logs_parsed('x')",
  'from pragma_database_list',
  "from pragma_storage_info('incidents')",
  "from pragma_table_info('incidents')",
  "from which_secret('x', 's3')",
  "from sql_auto_complete('sel')",
  "select * from (select 1) where exists (from read_text('/etc/passwd'))",
  "with a as (from read_text('/etc/passwd')) from a",
  "explain from read_text('/etc/passwd')",
  "describe from read_text('/etc/passwd')",
  "summarize from read_text('/etc/passwd')",
  "from range(3) r(i), lateral (from query('select 1'))",
  'select sleep_ms(1)',
  "select write_log('x')",
  'select stats(title) from incidents',
  "select current_setting('temp_directory')",
  "select current_setting('secret_' || 'directory')",
  "select pg_catalog.current_setting('home_directory')",
]

/** Ways to a table of the file past the view that shows the chosen account only. */
const qualified = (to: string) => [
  `select count(*) from ${to}.incidents`,
  `select count(*) from ${to}.main.incidents`,
  `select count(*) from "${to}".incidents`,
  `select count(*) from "${to.toUpperCase()}"."MAIN"."incidents"`,
  `select count(*) from ${to}/* */./* */incidents`,
  `from ${to}.incidents`,
  `table ${to}.incidents`,
  `describe ${to}.incidents`,
  `summarize ${to}.incidents`,
  `show ${to}.incidents`,
  `show tables from ${to}`,
  `explain analyze from ${to}.incidents`,
  `pivot ${to}.incidents on incident_severity in ('Critical') using count(*)`,
  `unpivot ${to}.incidents on title`,
  `with a as (from ${to}.incidents) from a`,
  `with incidents as (from ${to}.incidents) from incidents`,
  `select (select count(*) from ${to}.incidents)`,
  `select 1 where exists (from ${to}.incidents)`,
  `from incidents union all from ${to}.incidents`,
  `from incidents join ${to}.incidents using (incident_id)`,
  `from range(1), lateral (from ${to}.incidents)`,
  `from query_table('${to}.incidents')`,
  `from query_table('${to}.main.incidents')`,
  `from query_table('"${to}"."incidents"')`,
  `from query_table(['incidents', '${to}.incidents'])`,
  `from query_table('${to}' || '.incidents')`,
  `from query_table(concat('${to}', '.incidents'))`,
  `from query_table(format('{}.incidents', '${to}'))`,
  `from query_table(reverse('stnedicni.${[...to].reverse().join('')}'))`,
  `from query_table((select '${to}.incidents'))`,
  `from histogram(${to}.incidents, title)`,
  `from histogram('${to}.incidents', title)`,
  `from histogram_values('${to}' || '.incidents', title)`,
  `from histogram_values(col_name := title, source := '${to}.incidents')`,
  `from histogram(source := concat('${to}', '.incidents'), col_name := title)`,
  `from time_measures(of_incidents := '${to}.incident_times')`,
  `from time_measures(of_incidents := '"${to}".incident_times')`,
  `from time_measures(of_incidents := '${to}.' || 'incident_times')`,
  `from time_measures(of_incidents := chr(102) || '.incident_times')`,
  `from time_measures(of_incidents := ['${to}.incident_times'][1])`,
  `from time_measures(of_incidents := coalesce(null, '${to}.incident_times'))`,
  `from time_measures(of_incidents := case when true then '${to}.incident_times' end)`,
  `from time_measures(of_incidents := '${to}.incident_times'::varchar)`,
  `from ${to}.time_measures()`,
  `from ${to}.main.time_measures()`,
  `select ${to}.main.p90(1)`,
  'from temp.incidents',
  'from system.main.duckdb_tables',
  'from temp.information_schema.tables',
  'from pg_catalog.pg_class',
]

describe.each([
  ['another kind of statement', KINDS],
  ['a function that is not listed', FUNCTIONS],
] as const)('%s is refused', (_, attacks) => {
  test.each(attacks)('%s', async (sql) => {
    for (const act of [() => reader.query(sql), () => reader.keep('kept', sql)])
      await expect(act()).rejects.toThrow(WarehouseError)
    await expect(reader.stream(sql)[Symbol.asyncIterator]().next()).rejects.toThrow(WarehouseError)
  })
})

test('there are forty attacks of each kind and more', () => {
  for (const attacks of [KINDS, FUNCTIONS, qualified('f')]) expect(attacks.length).toBeGreaterThanOrEqual(40)
})

test('a name of a catalog is refused, so the choice of an account holds', async () => {
  const session = await reader.session()
  await narrow(session, [BigInt(EMEA.account_id)])
  const { rows } = await session.query('select distinct account_id from incidents')
  expect(rows).toEqual([[BigInt(EMEA.account_id)]])
  for (const sql of qualified(file)) {
    const answer = await session.query(sql).catch((error: unknown) => error)
    expect([sql, answer]).toEqual([sql, expect.any(WarehouseError)])
    expect([sql, (answer as Error).message]).toEqual([
      sql,
      expect.stringMatching(/not possible|Only statements/),
    ])
  }
  session.close()
})

test('a file that is called like a schema gives nothing away', async () => {
  const other = await openReader(join(folder, 'information_schema.duckdb'))
  const session = await other.session()
  await narrow(session, [BigInt(EMEA.account_id)])
  for (const sql of qualified('information_schema').filter((one) => !one.startsWith('show tables')))
    await expect(session.query(sql), sql).rejects.toThrow(WarehouseError)
  session.close()
  other.close()
})

test('every table function of DuckDB is listed or refused', async () => {
  const { rows } = await reader.query(
    "select distinct function_name from duckdb_functions() where internal and function_type in ('table', 'table_macro', 'pragma')",
  )
  expect(rows.length).toBeGreaterThan(80)
  const known =
    /^(range|generate_series|unnest|repeat|repeat_row|json_each|json_tree|query_table|histogram|histogram_values|icu_calendar_names|pg_timezone_names|duckdb_(columns|constraints|functions|indexes|keywords|memory|schemas|tables|types|views))$/
  for (const [name] of rows.filter(([name]) => !known.test(String(name))))
    await expect(reader.query(`from "${name}"()`), String(name)).rejects.toThrow(/not possible/)
})

test('functions that change with each call are known, so a new one of DuckDB is looked at', async () => {
  const { rows } = await reader.query(
    "select distinct function_name from duckdb_functions() where internal and function_type = 'scalar' and stability = 'VOLATILE' order by all",
  )
  expect(rows.flat().join(' ')).toMatchInlineSnapshot(
    `"current_connection_id current_query current_query_id current_transaction_id currval error gen_random_uuid nextval random setseed sleep_ms stats uuid uuidv4 uuidv7 write_log"`,
  )
})
