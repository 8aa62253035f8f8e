import type { DuckDBConnection } from '@duckdb/node-api'
import {
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  type QueryCompiler,
} from 'kysely'
import { DuckDbDriver } from './driver.ts'
import { DuckDbIntrospector } from './introspector.ts'

/**
 * Kysely over one connection of DuckDB. DuckDB reads PostgreSQL's syntax (double quotes, $1), so that compiler
 * serves; what differs is how a connection is used and how values come back.
 */
export class DuckDbDialect implements Dialect {
  readonly #connection: DuckDBConnection

  constructor(connection: DuckDBConnection) {
    this.#connection = connection
  }

  createDriver(): Driver {
    return new DuckDbDriver(this.#connection)
  }

  createQueryCompiler(): QueryCompiler {
    return new PostgresQueryCompiler()
  }

  createAdapter(): DialectAdapter {
    return new DuckDbAdapter()
  }

  // biome-ignore lint/suspicious/noExplicitAny: the introspector works on any schema
  createIntrospector(db: Kysely<any>): DatabaseIntrospector {
    return new DuckDbIntrospector(db)
  }
}

/** DDL takes part in transactions and `returning` works; one process owns the file, so migrations need no lock. */
class DuckDbAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}
