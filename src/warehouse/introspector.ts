import {
  type DatabaseIntrospector,
  type DatabaseMetadata,
  type DatabaseMetadataOptions,
  type Kysely,
  type SchemaMetadata,
  sql,
  type TableMetadata,
} from 'kysely'

interface ColumnRow {
  table_schema: string
  table_name: string
  is_view: boolean
  column_name: string
  data_type: string
  is_nullable: boolean
  column_default: string | null
  comment: string | null
}

/** Reads schemas, tables and columns from DuckDB's catalogue functions. */
export class DuckDbIntrospector implements DatabaseIntrospector {
  // biome-ignore lint/suspicious/noExplicitAny: works on any schema
  readonly #db: Kysely<any>

  // biome-ignore lint/suspicious/noExplicitAny: works on any schema
  constructor(db: Kysely<any>) {
    this.#db = db
  }

  async getSchemas(): Promise<SchemaMetadata[]> {
    const { rows } = await sql<{ name: string }>`
      select schema_name as name from duckdb_schemas()
      where database_name = current_database() order by name`.execute(this.#db)
    return rows
  }

  async getTables(_options?: DatabaseMetadataOptions): Promise<TableMetadata[]> {
    const { rows } = await sql<ColumnRow>`
      select c.schema_name as table_schema, c.table_name, v.view_name is not null as is_view, c.column_name,
             c.data_type, c.is_nullable, c.column_default, c.comment
      from duckdb_columns() c
      left join duckdb_views() v on v.view_oid = c.table_oid and v.database_name = c.database_name
      where not c.internal and c.database_name = current_database()
      order by c.schema_name, c.table_name, c.column_index`.execute(this.#db)
    const tables = new Map<string, ColumnRow[]>()
    for (const row of rows) {
      const table = `${row.table_schema}.${row.table_name}`
      tables.set(table, [...(tables.get(table) ?? []), row])
    }
    return [...tables.values()].map(tableMetadata)
  }

  async getMetadata(options?: DatabaseMetadataOptions): Promise<DatabaseMetadata> {
    return { tables: await this.getTables(options) }
  }
}

function tableMetadata(columns: ColumnRow[]): TableMetadata {
  const first = columns[0]!
  return {
    name: first.table_name,
    schema: first.table_schema,
    isView: first.is_view,
    columns: columns.map((column) => ({
      name: column.column_name,
      dataType: column.data_type,
      isNullable: column.is_nullable,
      hasDefaultValue: column.column_default !== null,
      isAutoIncrementing: false,
      ...(column.comment === null ? {} : { comment: column.comment }),
    })),
  }
}
