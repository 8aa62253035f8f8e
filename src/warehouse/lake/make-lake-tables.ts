import type { DuckDBConnection } from '@duckdb/node-api'
import type { Lake } from '../../config/lake.ts'
import { WarehouseError } from '../../errors.ts'
import type { Resource } from '../../resources/resource.ts'
import { literal } from '../quote.ts'
import { allTables, growth, stampOf } from '../schema/create.ts'
import { TABLE as MIGRATIONS, migrations, missingMigrations } from '../schema/migrations.ts'
import { readNotes } from '../schema/notes.ts'
import type { Table } from '../schema/tables.ts'
import { askPostgres, INLINED, inLake, LAKE, leasesOf, tellPostgres } from './catalogue.ts'
import { NOTES, PUBLISHED } from './lake-tables.ts'

/**
 * Brings the lake's tables to those of this program; each has a table in PostgreSQL, for rows that no file holds yet. Hold the lease of
 * publishing.
 * @throws WarehouseError when a newer program wrote the lake, or this role may not make tables
 */
export async function makeTables(
  lake: Lake,
  connection: DuckDBConnection,
  resources: readonly Resource[],
): Promise<void> {
  await connection.run(`use ${LAKE}`)
  await missingMigrations(connection)
  const tables = [...allTables(resources), PUBLISHED]
  const stamp = stampOf([tables, INLINED])
  if ((await readNotes(connection)).get('tables') === stamp) return
  await checkRole(lake)
  const had = Object.keys(migrations).map((one) => `(${literal(one)}, '')`)
  const steps = [
    ...(await growth(connection, tables)),
    // Those of former versions lay in a file for each account. Without a change DuckLake makes no table for rows in PostgreSQL.
    ...tables.map((table) => `alter table ${inLake(table.name)} reset partitioned by`),
    `create table if not exists ${MIGRATIONS} (name varchar, "timestamp" varchar)`,
    `delete from ${MIGRATIONS}`,
    `insert into ${MIGRATIONS} values ${had.join(', ')}`,
  ]
  await connection.run(`begin; ${steps.join(';\n')}; commit`)
  for (const { name: table } of tables.filter(hasList))
    await connection.run(
      `call ducklake_set_option('${LAKE}', 'data_inlining_row_limit', 0, table_name => ${literal(table)})`,
    )
  await releaseFiles(lake)
  await connection.run(`begin; delete from ${NOTES} where key = 'tables';
    insert into ${NOTES} values ('tables', ${literal(stamp)}); commit`)
}

/** DuckLake writes a list as text, in which PostgreSQL takes no NUL: the commit would fail. */
const hasList = ({ columns }: Table) => columns.some(({ type }) => type.endsWith('[]'))

async function checkRole(lake: Lake): Promise<void> {
  const [row] = await askPostgres(
    await leasesOf(lake),
    `select has_schema_privilege(current_schema(), 'create')`,
  )
  if (row?.[0] === true) return
  throw new WarehouseError(`${lake} lacks tables of this version, and this role may not make them.`, {
    next: 'Run `faultline maintain` once, as the role that owns the catalogue (faultline_maintenance).',
  })
}

/**
 * Files of one account each, of former versions, may be merged with those of others; and DuckLake would make the tables for places of
 * deleted rows only when there are some, which a worker may not.
 */
async function releaseFiles(lake: Lake): Promise<void> {
  const postgres = await leasesOf(lake)
  await tellPostgres(
    postgres,
    `update ducklake_data_file set partition_id = null where partition_id is not null;
    delete from ducklake_file_partition_value`,
  )
  const tables = await askPostgres(postgres, 'select table_id from ducklake_table where end_snapshot is null')
  const made = tables.map(
    ([id]) =>
      `create table if not exists ducklake_inlined_delete_${id}(file_id bigint, row_id bigint, begin_snapshot bigint)`,
  )
  await tellPostgres(postgres, made.join('; '))
}
