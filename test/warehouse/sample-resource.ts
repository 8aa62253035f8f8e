import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { Kysely } from 'kysely'
import { z } from 'zod'
import { resources } from '../../src/resources/index.ts'
import {
  flag,
  integer,
  integers,
  json,
  type Resource,
  text,
  texts,
  time,
} from '../../src/resources/resource.ts'
import { DuckDbDialect } from '../../src/warehouse/dialect.ts'
import type { RecordRow } from '../../src/warehouse/load/record-row.ts'
import { createStaging } from '../../src/warehouse/load/staging.ts'
import { type BatchContext, type UpsertCounts, upsert } from '../../src/warehouse/load/upsert.ts'
import { createTables } from '../../src/warehouse/schema/create.ts'
import type { Database } from '../../src/warehouse/schema/database.ts'

/** A made-up resource with a column of every type, a nested one, and children of both kinds. */
export const things = {
  table: 'things',
  description: 'One row per thing: it’s for tests.',
  key: ['id'],
  operation: 'incident/list',
  record: z.looseObject({ id: z.string() }),
  items: ['items'],
  read: { kind: 'pages' },
  updated: 'updated_at',
  versions: 'thing_versions',
  columns: [
    text('id'),
    text('title'),
    integer('number'),
    flag('is_on'),
    time('updated_at'),
    json('labels'),
    integers('numbers'),
    texts('words'),
    text('deep', '', 'some.where.deep'),
  ],
  children: [
    {
      table: 'thing_people',
      path: ['people'],
      columns: [integer('person_id'), time('met_at'), text('name', '', 'who.name')],
    },
    { table: 'thing_roles', path: ['some', 'roles'], columns: [integer('role_id', '', '')] },
  ],
} as const satisfies Resource

/** An in-memory database in UTC, with every table of the program and of the given resources. */
export async function inMemory(more: readonly Resource[]): Promise<DuckDBConnection> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  await connection.run(`set TimeZone = 'UTC'`)
  await connection.run('set threads = 1')
  await createTables(connection, [...resources, ...more])
  return connection
}

export async function rowsOf(
  connection: DuckDBConnection,
  query: string,
): Promise<Record<string, unknown>[]> {
  return (await connection.runAndReadAll(query)).getRowObjectsJS()
}

export function mergeInto(
  db: Kysely<Database>,
  resource: Resource,
  records: readonly RecordRow[],
  reading: BatchContext,
): Promise<UpsertCounts> {
  const staging = createStaging(resource)
  staging.add(records)
  return db.transaction().execute((tx) => upsert(tx, staging, reading))
}

export function databaseOn(connection: DuckDBConnection): Kysely<Database> {
  return new Kysely<Database>({ dialect: new DuckDbDialect(connection) })
}
