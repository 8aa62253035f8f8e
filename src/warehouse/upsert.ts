import type { DuckDBConnection } from '@duckdb/node-api'
import type { Resource } from '../resources/resource.ts'
import { endAtOnce } from './end-at-once.ts'
import { literal, name, names } from './quote.ts'
import { STAGE_CHILDREN, STAGE_EXTRA, STAGE_ROW } from './stage/sources.ts'
import type { Stage } from './stage/stage.ts'
import { stageOf } from './stage/stage-functions.ts'
import { ACCOUNT, readColumns } from './tables.ts'

/** When, by whom and from which account a batch was read. */
export interface Reading {
  readonly runId: number
  /** Milliseconds since the epoch. */
  readonly seenAt: number
  /** The account of the key it was read with. */
  readonly accountId: bigint
}

/** What a batch did to the warehouse, in rows. */
export interface Written {
  readonly staged: number
  readonly inserted: number
  readonly replaced: number
}

/** Staged rows whose key is stored, each with the stored row. */
const STORED = 'stage_stored'
/** Staged rows to write, each with the stored row it replaces. */
const DIFF = 'stage_diff'

/**
 * Merges a batch into the resource's table, its children and its versions; call it inside a transaction.
 * Of a key that came more than once the newest row counts, then the later. A row is written only when its content
 * differs from what is stored and it is not older; an unchanged row costs no write.
 */
export async function upsert(connection: DuckDBConnection, batch: Stage, reading: Reading): Promise<Written> {
  batch.show(connection)
  try {
    return await endAtOnce(() => merge(connection, batch, reading))
  } finally {
    batch.release()
  }
}

async function merge(connection: DuckDBConnection, batch: Stage, reading: Reading): Promise<Written> {
  const { resource, rows: staged } = batch
  const { changed, replaced, unhashed } = await compare(connection, batch, reading)
  if (replaced > 0) await removeReplaced(connection, resource, reading, unhashed > 0)
  if (changed > 0) await insertChanged(connection, resource, reading, changed === staged)
  for (const table of [STORED, DIFF]) await connection.run(`drop table if exists ${table}`)
  return { staged, inserted: changed - replaced, replaced }
}

/** Finds the staged rows that are new or differ. Where every row is new, as in a first read, there is nothing to note. */
async function compare(connection: DuckDBConnection, batch: Stage, reading: Reading) {
  const stored = await findStored(connection, batch.resource, reading)
  if (stored === 0 && !batch.hasRepeats) return { changed: batch.rows, replaced: 0, unhashed: 0 }
  await noteDifferent(connection, batch, reading)
  const result = await connection.runAndReadAll(
    `select count(*)::int, count(table_row)::int, (count(table_row) filter (is_unhashed))::int from ${DIFF}`,
  )
  const [changed, replaced, unhashed] = result.getRows()[0] as [number, number, number]
  return { changed, replaced, unhashed }
}

/** @returns how many staged rows are stored under the same key */
async function findStored(
  connection: DuckDBConnection,
  { table, updated, ...resource }: Resource,
  reading: Reading,
) {
  const made = await connection.runAndReadAll(`
    create or replace temp table ${STORED} as
    select s.${STAGE_ROW} as stage_row, t.rowid as table_row, t._hash, t.vanished_at is not null as is_vanished,
      ${updated ? `t.${name(updated)} is null or s.${name(updated)} >= t.${name(updated)}` : 'true'} as is_not_older
    from ${stageOf(table)} s join ${name(table)} t
      on ${ofAccount(reading, 't.')} and ${sameKey(resource)}`)
  return Number(made.getRows()[0]![0])
}

async function noteDifferent(
  connection: DuckDBConnection,
  { resource, hasRepeats }: Stage,
  reading: Reading,
) {
  await connection.run(`
    create or replace temp table ${DIFF} as
    with hashed as (
      select ${STAGE_ROW} as stage_row, ${hashOf(resource, reading)} as _hash
      from ${stageOf(resource.table)}
      ${hasRepeats ? newestOfEach(resource) : ''}
    )
    select h.stage_row, s.table_row, h._hash, s._hash is null as is_unhashed
    from hashed h left join ${STORED} s on s.stage_row = h.stage_row
    where s.stage_row is null
       or ((h._hash is distinct from s._hash or s.is_vanished) and s.is_not_older)`)
}

/**
 * The hash of everything that makes a row's content. To `hash` an empty list and one of NULL are as NULL, so its length
 * counts too. Where a record names its account, the run's stands in the same place: files of layout 1 hashed the record's.
 */
function hashOf(resource: Resource, reading: Reading): string {
  const lists = resource.columns.filter((column) => column.type.endsWith('[]'))
  const content = [
    ...resource.columns.map((column) =>
      column.name === ACCOUNT.name ? account(reading) : name(column.name),
    ),
    ...[STAGE_EXTRA, STAGE_CHILDREN].map(name),
    ...lists.map((column) => `len(${name(column.name)})`),
  ]
  return `hash(${content.join(', ')})`
}

function newestOfEach(resource: Resource): string {
  const order = [
    ...(resource.updated ? [`${name(resource.updated)} desc nulls last`] : []),
    `${STAGE_ROW} desc`,
  ]
  return `qualify row_number() over (partition by ${names(resource.key)} order by ${order.join(', ')}) = 1`
}

function sameKey(resource: Pick<Resource, 'key'>): string {
  return resource.key.map((column) => `s.${name(column)} = t.${name(column)}`).join(' and ')
}

/** Keeps the former content as a version and takes it, and its children, out of the tables. */
async function removeReplaced(
  connection: DuckDBConnection,
  resource: Resource,
  reading: Reading,
  hasUnhashed: boolean,
) {
  const table = name(resource.table)
  const replaced = `select table_row from ${DIFF} where table_row is not null`
  if (resource.versions) {
    await connection.run(`
      insert into ${name(resource.versions)} by name
      select *, ${timestamp(reading.seenAt)} as _replaced_at from ${table} where rowid in (${replaced})
      ${hasUnhashed ? `and rowid not in (${sameInColumns(resource)})` : ''}`)
  }
  for (const child of resource.children) {
    await connection.run(`
      delete from ${name(child.table)}
      where ${ofAccount(reading)} and (${names(resource.key)}) in (select (${names(resource.key)}) from ${table} where rowid in (${replaced}))`)
  }
  await connection.run(`delete from ${table} where rowid in (${replaced})`)
}

/** Rows without a hash, which lost it when a change of the privacy rules rewrote them, whose columns are those of the new copy. */
function sameInColumns(resource: Resource): string {
  const columns = [...readColumns(resource).map((column) => column.name), STAGE_EXTRA]
  return `
    select d.table_row from ${DIFF} d
    join ${stageOf(resource.table)} s on s.${STAGE_ROW} = d.stage_row
    join ${name(resource.table)} t on t.rowid = d.table_row
    where d.is_unhashed and row(${names(columns, 's.')}) is not distinct from row(${names(columns, 't.')})`
}

async function insertChanged(
  connection: DuckDBConnection,
  resource: Resource,
  reading: Reading,
  everyRow: boolean,
) {
  const columns = [...readColumns(resource).map((column) => column.name), STAGE_EXTRA]
  const accountId = `${account(reading)} as ${name(ACCOUNT.name)}`
  // A first read changes every row: to hash again costs less than to join.
  const hash = everyRow ? hashOf(resource, reading) : '_hash'
  await connection.run(`
    insert into ${name(resource.table)} by name
    select ${accountId}, ${names(columns)}, ${hash} as _hash, ${timestamp(reading.seenAt)} as _seen_at, ${reading.runId} as _run_id
    from ${stageOf(resource.table)} ${everyRow ? '' : `join ${DIFF} on ${STAGE_ROW} = stage_row`}`)
  for (const child of resource.children) {
    await connection.run(`
      insert into ${name(child.table)} by name
      select ${accountId}, * exclude (${STAGE_ROW}) from ${stageOf(child.table)}
      ${everyRow ? '' : `where ${STAGE_ROW} in (select stage_row from ${DIFF})`}`)
  }
}

function ofAccount(reading: Reading, prefix = ''): string {
  return `${prefix}${name(ACCOUNT.name)} = ${account(reading)}`
}

function account({ accountId }: Reading): string {
  return `${literal(String(accountId))}::bigint`
}

function timestamp(ms: number): string {
  return `make_timestamptz(${literal(String(Math.round(ms * 1_000)))}::bigint)`
}
