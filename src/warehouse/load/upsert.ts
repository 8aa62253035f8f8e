import { type Kysely, sql, type Transaction } from 'kysely'
import { ACCOUNT, keyColumns, readColumns, resourceTable } from '../../definitions/tables.ts'
import type { Resource } from '../../resources/resource.ts'
import type { Database } from '../schema/database.ts'
import { createStage, EXTRA, HASH, type ResourceTables, STAGE, typed } from './stage-table.ts'
import type { Staging } from './staging.ts'

export interface BatchContext {
  readonly runId: number
  /** Time of the read, milliseconds since the epoch. */
  readonly seenAt: number
  readonly accountId: bigint
}

export interface UpsertCounts {
  readonly inserted: number
  readonly replaced: number
}

/** Temporary table that pairs each staged row with the stored row of the same key. */
const STORED = 'stage_stored'

type Db = Kysely<ResourceTables>

/**
 * Writes the staged rows into the tables. Skips unchanged rows, and rows that are older than those that this run has
 * already stored.
 */
export async function upsert(
  tx: Transaction<Database>,
  staging: Staging,
  reading: BatchContext,
): Promise<UpsertCounts> {
  const { resource, rows } = staging
  if (rows === 0) return { inserted: 0, replaced: 0 }
  const db = tx as unknown as Db
  await createStage(db, staging)
  const { stored, replaced, unhashed } = await findStored(db, resource, reading)
  if (replaced > 0) await removeReplaced(db, resource, reading, unhashed > 0)
  const inserted = rows - stored
  if (inserted + replaced > 0) await insertChanged(db, resource, reading, stored > replaced)
  for (const table of [STORED, STAGE]) await db.schema.dropTable(table).execute()
  return { inserted, replaced }
}

async function findStored(db: Db, { table, key, updated }: Resource, { accountId, runId }: BatchContext) {
  // Times are compared only within a run, so that the next run can replace a row with a wrong time in the future.
  const isNotOlder = updated
    ? sql`(t._run_id is distinct from ${runId} or ${sql.ref(`t.${updated}`)} is null or ${sql.ref(`s.${updated}`)} >= ${sql.ref(`t.${updated}`)})`
    : sql`true`
  await db.schema
    .createTable(STORED)
    .temporary()
    .as(
      db
        .selectFrom(`${STAGE} as s`)
        .innerJoin(`${table} as t`, (join) =>
          key.reduce(
            (on, column) => on.onRef(`s.${column}`, '=', `t.${column}`),
            join.on(`t.${ACCOUNT.name}`, '=', accountId),
          ),
        )
        .select([
          's.rowid as stage_row',
          't.rowid as table_row',
          sql`t._hash is null`.as('is_unhashed'),
          sql`coalesce((s._hash is distinct from t._hash or t.vanished_at is not null) and ${isNotOlder}, false)`.as(
            'is_changed',
          ),
        ]),
    )
    .execute()
  const counts = await db
    .selectFrom(STORED)
    .select(({ fn }) => [
      fn.countAll().as('stored'),
      fn.countAll().filterWhere('is_changed', '=', true).as('replaced'),
      fn.countAll().filterWhere('is_changed', '=', true).filterWhere('is_unhashed', '=', true).as('unhashed'),
    ])
    .executeTakeFirstOrThrow()
  return {
    stored: Number(counts.stored),
    replaced: Number(counts.replaced),
    unhashed: Number(counts.unhashed),
  }
}

/** Moves rows that will be replaced to the table of previous versions, and deletes their child rows. */
async function removeReplaced(db: Db, resource: Resource, reading: BatchContext, hasUnhashed: boolean) {
  const { table, versions, key } = resource
  const replaced = db.selectFrom(STORED).select('table_row').where('is_changed', '=', true)
  if (versions !== undefined) {
    const columns = resourceTable(resource).columns.map(({ name }) => name)
    const former = db
      .selectFrom(table)
      .select([...columns, sql.val(new Date(reading.seenAt)).as('_replaced_at')])
      .where('rowid', 'in', replaced)
    await db
      .insertInto(versions)
      .columns([...columns, '_replaced_at'])
      .expression(hasUnhashed ? former.where('rowid', 'not in', sameInColumns(db, resource)) : former)
      .execute()
  }
  for (const child of resource.children) {
    const deletion = db
      .deleteFrom(child.table)
      .using([STAGE, STORED])
      .whereRef(`${STAGE}.rowid`, '=', `${STORED}.stage_row`)
      .where(`${STORED}.is_changed`, '=', true)
      .where(`${child.table}.${ACCOUNT.name}`, '=', reading.accountId)
    await key
      .reduce(
        (some, column) => some.whereRef(`${child.table}.${column}`, '=', `${STAGE}.${column}`),
        deletion,
      )
      .execute()
  }
  await db.deleteFrom(table).where('rowid', 'in', replaced).execute()
}

/** Finds unchanged rows among those without a hash. A change of the privacy rules removes hashes. */
function sameInColumns(db: Db, resource: Resource) {
  const columns = contentColumns(resource)
  const row = (prefix: string) => sql`row(${sql.join(columns.map((name) => sql.ref(`${prefix}.${name}`)))})`
  return db
    .selectFrom(`${STORED} as o`)
    .innerJoin(`${STAGE} as s`, 's.rowid', 'o.stage_row')
    .innerJoin(`${resource.table} as t`, 't.rowid', 'o.table_row')
    .select('o.table_row')
    .where('o.is_unhashed', '=', true)
    .where(row('s'), 'is not distinct from', row('t'))
}

function contentColumns(resource: Resource): string[] {
  return [...readColumns(resource).map(({ name }) => name), EXTRA]
}

async function insertChanged(db: Db, resource: Resource, reading: BatchContext, someUnchanged: boolean) {
  const unchanged = db.selectFrom(STORED).select('stage_row').where('is_changed', '=', false)
  const all = db.selectFrom(STAGE)
  const changed = someUnchanged ? all.where('rowid', 'not in', unchanged) : all
  const account = sql.val(reading.accountId).as(ACCOUNT.name)
  const content = [...contentColumns(resource), HASH]
  await db
    .insertInto(resource.table)
    .columns([ACCOUNT.name, ...content, '_seen_at', '_run_id'])
    .expression(
      changed.select([
        account,
        ...content,
        sql.val(new Date(reading.seenAt)).as('_seen_at'),
        sql.val(reading.runId).as('_run_id'),
      ]),
    )
    .execute()
  const keys = keyColumns(resource).map(({ name }) => name)
  for (const { table, columns } of resource.children) {
    const list = sql.ref(table)
    const elements = changed
      .select([...keys, sql`unnest(${list})`.as('element'), sql`unnest(range(len(${list})))`.as('ordinal')])
      .as('e')
    await db
      .insertInto(table)
      .columns([ACCOUNT.name, ...keys, 'ordinal', ...columns.map(({ name }) => name)])
      .expression(
        db
          .selectFrom(elements)
          .select([
            account,
            ...keys.map((name) => `e.${name}`),
            'e.ordinal',
            ...columns.map(({ name, type, path }) => typed(sql.id('e', 'element', ...path), type).as(name)),
          ]),
      )
      .execute()
  }
}
