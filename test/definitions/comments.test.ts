import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { resources } from '../../src/resources/index.ts'
import { createTables } from '../../src/warehouse/schema/create.ts'

test('every table column has a comment, even in a database from an older version', async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  await connection.run('create table teams (account_id bigint, team_id bigint)')
  await connection.run(`comment on column teams.team_id is 'what an older program said'`)
  await createTables(connection, resources)
  await createTables(connection, resources)
  const rows = await connection.runAndReadAll(
    `select table_name || '.' || column_name as name, comment from duckdb_columns()
    where not internal and table_name in (select table_name from duckdb_tables())
      and table_name not like 'faultline_migrations%'`,
  )
  const comments = new Map(rows.getRows().map(([name, comment]) => [name, comment]))
  expect(comments.size).toBeGreaterThan(200)
  expect([...comments].filter(([, comment]) => !comment)).toEqual([])
  expect(comments.get('teams.team_id')).toBe('Key of the team.')
  expect(comments.get('incident_versions._replaced_at')).toBe('When the content that replaced it was read.')
})
