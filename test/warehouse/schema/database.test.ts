import { DuckDBInstance } from '@duckdb/node-api'
import { Kysely, type Selectable } from 'kysely'
import { expect, expectTypeOf, test } from 'vitest'
import { DuckDbDialect } from '../../../src/warehouse/dialect.ts'
import type { Database } from '../../../src/warehouse/schema/database.ts'

type Incident = Selectable<Database['incidents']>

test('the TypeScript type of a row follows the columns of its table', () => {
  expectTypeOf<Incident['incident_id']>().toEqualTypeOf<string | null>()
  expectTypeOf<Incident['ack_time']>().toEqualTypeOf<Date | null>()
  expectTypeOf<Incident['owner_id']>().toEqualTypeOf<bigint | null>()
  expectTypeOf<Incident['integration_ids']>().toEqualTypeOf<bigint[] | null>()
  expectTypeOf<Incident['_hash']>().toEqualTypeOf<bigint | null>()
  expectTypeOf<Selectable<Database['incident_versions']>['_replaced_at']>().toEqualTypeOf<Date | null>()
  expectTypeOf<Selectable<Database['incident_responders']>>().toEqualTypeOf<{
    account_id: bigint | null
    incident_id: string | null
    ordinal: bigint | null
    person_id: bigint | null
    assigned_at: Date | null
    acknowledged_at: Date | null
    person_name: string | null
    email: string | null
    as: string | null
  }>()
  expectTypeOf<Selectable<Database['sync_runs']>['seconds']>().toEqualTypeOf<number | null>()
})

test('a typed query with an unknown name or a wrong type does not compile', async () => {
  const instance = await DuckDBInstance.create(':memory:')
  const db = new Kysely<Database>({ dialect: new DuckDbDialect(await instance.connect()) })
  const queries = [
    // @ts-expect-error unknown table
    db.selectFrom('incident').selectAll(),
    // @ts-expect-error unknown column
    db.selectFrom('incidents').select('acked_at'),
    // @ts-expect-error children lack bookkeeping columns
    db.selectFrom('team_members').select('_seen_at'),
    // @ts-expect-error only resources that keep versions have a table of them
    db.selectFrom('team_versions').selectAll(),
    // @ts-expect-error a time must be a date
    db.updateTable('incidents').set({ ack_time: 5 }),
    // @ts-expect-error an id must be a bigint
    db.selectFrom('members').select('member_name').where('member_id', '=', '1'),
  ]
  for (const query of queries) expect(query.compile().sql).toMatch(/^(select|update)/)
})
