import type { DuckDBConnection, DuckDBType, DuckDBValue } from '@duckdb/node-api'
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
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

/** Lets one caller at a time use the only connection, so that statements of other callers never join a transaction. */
export class DuckDbDriver implements Driver, DatabaseConnection {
  readonly #connect: () => Promise<DuckDBConnection>
  #opened: DuckDBConnection | undefined
  #last: Promise<void> = Promise.resolve()
  #free = () => {}

  /** @param connection or a function that opens it at the first query */
  constructor(connection: DuckDBConnection | (() => Promise<DuckDBConnection>)) {
    this.#connect = typeof connection === 'function' ? connection : async () => connection
  }

  /** The connection. Kysely calls `init` before anything else. */
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
    // After a failed commit, DuckDB has already rolled back, so this statement fails.
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
    // DuckDB does not count the changes of a statement with `returning`, but returns one row for each.
    const returned = 'returning' in query && query.returning !== undefined
    return { rows, numAffectedRows: BigInt(returned ? rows.length : result.rowsChanged) }
  }

  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    // Reads all rows at once, because a stream would end without an error at a row that DuckDB cannot compute.
    yield await this.executeQuery<Row>(query)
  }
}

const WRITES = new Set(['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode', 'MergeQueryNode'])

/** Converts a parameter for DuckDB. An integer becomes a BIGINT with all its digits, and a Date a TIMESTAMPTZ. */
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
    // The type of a list is that of its first value other than null, because a list of type NULL can contain only NULLs.
    const type = items.find((item) => item.value !== null)?.type ?? VARCHAR
    return { value: listValue(items.map((item) => item.value)), type: LIST(type) }
  }
  throw new TypeError(`a parameter of type ${typeof value} cannot be bound`)
}
