import type { DuckDBConnection } from '@duckdb/node-api'
import {
  type DatabaseIntrospector,
  type DatabaseMetadata,
  type Dialect,
  Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  type SchemaMetadata,
  sql,
  type TableMetadata,
} from 'kysely'
import { DuckDbDriver } from './driver.ts'
import type { Database } from './schema/database.ts'

/** Returns Kysely for the tables of the warehouse. @param connection or a function that opens it at the first query */
export function typedOn(connection: DuckDBConnection | (() => Promise<DuckDBConnection>)): Kysely<Database> {
  return new Kysely<Database>({ dialect: new DuckDbDialect(connection) })
}

/** Kysely on one connection of DuckDB. DuckDB accepts PostgreSQL's syntax (double quotes, $1). */
export class DuckDbDialect implements Dialect {
  readonly createDriver: () => DuckDbDriver

  constructor(connection: DuckDBConnection | (() => Promise<DuckDBConnection>)) {
    this.createDriver = () => new DuckDbDriver(connection)
  }

  createQueryCompiler = () => new PostgresQueryCompiler()
  createAdapter = () => new DuckDbAdapter()
  // biome-ignore lint/suspicious/noExplicitAny: the introspector works on any schema
  createIntrospector = (db: Kysely<any>) => new DuckDbIntrospector(db)
}

/** DuckDB supports DDL in transactions and `returning`. Migrations need no lock, because one process owns the file. */
class DuckDbAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

/** Reads schemas, tables and columns from DuckDB's catalog functions, for the Migrator. */
class DuckDbIntrospector implements DatabaseIntrospector {
  // biome-ignore lint/suspicious/noExplicitAny: works on any schema
  readonly #db: Kysely<any>

  // biome-ignore lint/suspicious/noExplicitAny: works on any schema
  constructor(db: Kysely<any>) {
    this.#db = db
  }

  async getSchemas(): Promise<SchemaMetadata[]> {
    const { rows } = await sql<SchemaMetadata>`
      select schema_name as name from duckdb_schemas()
      where database_name = current_database() order by name`.execute(this.#db)
    return rows
  }

  async getTables(): Promise<TableMetadata[]> {
    const { rows } = await sql<TableMetadata>`
      select c.schema_name as schema, c.table_name as name, v.view_name is not null as "isView",
        list({
          name: column_name, "dataType": data_type, "isNullable": is_nullable, comment: coalesce(c.comment, ''),
          "hasDefaultValue": column_default is not null, "isAutoIncrementing": false
        } order by column_index) as columns
      from duckdb_columns() c
      left join duckdb_views() v on v.view_oid = c.table_oid and v.database_name = c.database_name
      where not c.internal and c.database_name = current_database()
      group by all order by schema, name`.execute(this.#db)
    return rows
  }

  async getMetadata(): Promise<DatabaseMetadata> {
    return { tables: await this.getTables() }
  }
}
