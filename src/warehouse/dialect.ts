import type { DuckDBConnection, DuckDBType, DuckDBValue } from '@duckdb/node-api'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type DatabaseMetadata,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  type QueryResult,
  type SchemaMetadata,
  sql,
  type TableMetadata,
} from 'kysely'
import {
  BIGINT,
  BLOB,
  BOOLEAN,
  blobValue,
  DOUBLE,
  DuckDBTimestampTZValue,
  LIST,
  listValue,
  SQLNULL,
  TIMESTAMPTZ,
  VARCHAR,
} from '../definitions/duckdb.ts'
import type { Database } from './schema/database.ts'

/** Returns a typed query builder. A function as `connection` opens the connection before the first query. */
export function typedOn(connection: DuckDBConnection | (() => Promise<DuckDBConnection>)): Kysely<Database> {
  return new Kysely<Database>({ dialect: new DuckDbDialect(connection) })
}

/** Lets Kysely use one DuckDB connection. DuckDB accepts PostgreSQL's syntax for quotes and parameters. */
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

/** Migrations need no lock, because only one process writes the file. */
class DuckDbAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

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

/** Gives the only connection to one caller at a time, so that no other statement joins a transaction. */
class DuckDbDriver implements Driver, DatabaseConnection {
  readonly #connect: () => Promise<DuckDBConnection>
  #opened: DuckDBConnection | undefined
  #last: Promise<void> = Promise.resolve()
  #free = () => {}

  constructor(connection: DuckDBConnection | (() => Promise<DuckDBConnection>)) {
    this.#connect = typeof connection === 'function' ? connection : async () => connection
  }

  /** The connection is open here, because Kysely calls `init` first. */
  get #connection() {
    return this.#opened!
  }

  async init(): Promise<void> {
    this.#opened = await this.#connect()
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#last
    let free = () => {}
    this.#last = new Promise((resolve) => {
      free = resolve
    })
    await before
    this.#free = free
    return this
  }

  async beginTransaction(): Promise<void> {
    await this.#connection.run('begin transaction')
  }

  async commitTransaction(): Promise<void> {
    await this.#connection.run('commit')
  }

  async rollbackTransaction(): Promise<void> {
    // The statement fails after a failed commit, because DuckDB has already rolled back.
    await this.#connection.run('rollback').catch(() => undefined)
  }

  async releaseConnection(): Promise<void> {
    this.#free()
  }

  async destroy(): Promise<void> {}

  async executeQuery<Row>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<Row>> {
    const pairs = parameters.map(toDuckDb)
    const result = await this.#connection.run(
      sql,
      pairs.map((pair) => pair.value),
      pairs.map((pair) => pair.type),
    )
    const rows = (await result.getRowObjectsJS()) as Row[]
    if (!WRITES.has(query.kind)) return { rows }
    // With `returning`, DuckDB returns one row per change instead of the number of changes.
    const returned = 'returning' in query && query.returning !== undefined
    return { rows, numAffectedRows: BigInt(returned ? rows.length : result.rowsChanged) }
  }

  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    // If DuckDB cannot compute a row, a stream would end without an error, so all rows are read at once.
    yield await this.executeQuery<Row>(query)
  }
}

const WRITES = new Set(['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode', 'MergeQueryNode'])

/**
 * Converts a value to a type of DuckDB. An integer becomes a BIGINT, which keeps all digits, and a Date becomes a
 * TIMESTAMPTZ.
 */
function toDuckDb(value: unknown): { value: DuckDBValue; type: DuckDBType } {
  if (value === null || value === undefined) return { value: null, type: SQLNULL }
  if (typeof value === 'string') return { value, type: VARCHAR }
  if (typeof value === 'boolean') return { value, type: BOOLEAN }
  if (typeof value === 'bigint') return { value, type: BIGINT }
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) ? { value: BigInt(value), type: BIGINT } : { value, type: DOUBLE }
  }
  if (value instanceof Uint8Array) return { value: blobValue(value), type: BLOB }
  if (value instanceof Date) {
    return { value: new DuckDBTimestampTZValue(BigInt(value.getTime()) * 1_000n), type: TIMESTAMPTZ }
  }
  if (Array.isArray(value)) {
    const items = value.map(toDuckDb)
    // The first value determines the type. A list of type NULL could contain only NULLs.
    const type = items.find((item) => item.value !== null)?.type ?? VARCHAR
    return { value: listValue(items.map((item) => item.value)), type: LIST(type) }
  }
  throw new TypeError(`a parameter of type ${typeof value} cannot be bound`)
}
