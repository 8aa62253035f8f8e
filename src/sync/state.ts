import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { ReadStrategy, Resource } from '../resources/resource.ts'
import type { Database } from '../warehouse/schema/database.ts'
import type { OpenRecord, OpenWindow } from './plan.ts'
import {
  CLOCK_TOLERANCE_S,
  type DoneWindow,
  type Reason,
  type SyncScope,
  secondsOf,
  unsettled,
  type Window,
} from './slice.ts'

export interface PlanContext extends SyncScope {
  readonly db: Kysely<Database>
  readonly accountId: bigint
  /** Start of the interrupted run that this run continues, Unix seconds. */
  readonly chainStart: number | null
  /** Ids of the interrupted runs that this run continues. */
  readonly chain: readonly bigint[]
}

type Windows = Extract<ReadStrategy, { kind: 'windows' }>
type ByIds = Extract<ReadStrategy, { kind: 'ids' }>

/** Reasons for which only some records of a window are read. */
const IN_PART: readonly Reason[] = ['still-open', 'vanished', 'reopened']

export async function readWindowState(context: PlanContext, resource: Resource, read: Windows) {
  const ledger = await context.db
    .selectFrom('sync_windows')
    .innerJoin('sync_runs', (join) =>
      join
        .onRef('sync_runs.account_id', '=', 'sync_windows.account_id')
        .onRef('sync_runs.run_id', '=', 'sync_windows.run_id'),
    )
    .select([
      'sync_windows.run_id',
      'reason',
      'state',
      'cursor',
      'window_start',
      'window_end',
      'service_time_at',
    ])
    .where('sync_runs.account_id', '=', context.accountId)
    .where('resource', '=', resource.table)
    .where('window_start', 'is not', null)
    // Ignores runs that were recorded while the clock was ahead.
    .where('service_time_at', '<=', new Date((context.now + CLOCK_TOLERANCE_S) * 1_000))
    .where('reason', 'not in', IN_PART)
    .orderBy('sync_windows.run_id', 'desc')
    .orderBy('window_id')
    .execute()
  const spanOf = (row: (typeof ledger)[number]): Window => ({
    start: secondsOf(row.window_start!),
    end: secondsOf(row.window_end!),
  })
  const readAt = (row: (typeof ledger)[number]) => ({
    ...spanOf(row),
    readAt: secondsOf(row.service_time_at!),
  })
  const looked: DoneWindow[] = ledger.filter((row) => row.state !== 'open').map(readAt)
  const unfinished: OpenWindow[] = ledger
    .filter((row) => row.state === 'open' && row.run_id !== null && context.chain.includes(row.run_id))
    .map((row) => ({ ...spanOf(row), reason: row.reason as Reason, cursor: row.cursor }))
  const { column, not } = read.openWhen
  const isOpen = sql`${sql.ref(column)} is distinct from ${not} and vanished_at is null`
  const lookback = Math.min(unsettled(context, looked)[0]!.start, context.now - context.lookbackDays * 86_400)
  return {
    done: ledger.filter((row) => row.state === 'done' || row.state === 'accepted').map(readAt),
    looked,
    tried: ledger.map(readAt),
    unfinished,
    stillOpen: await recordsWhere(context, resource, read, isOpen),
    vanished: await recordsWhere(context, resource, read, sql`vanished_at > ${new Date(lookback * 1_000)}`),
    countIn: await densityOf(context, resource, read),
  }
}

async function recordsWhere(
  { db, accountId }: PlanContext,
  resource: Resource,
  read: Windows,
  condition: RawBuilder<unknown>,
): Promise<OpenRecord[]> {
  const { rows } = await sql<{ id: string; start: number }>`
    select ${sql.ref(resource.key[0]!)} as id, floor(epoch(${sql.ref(read.start)}))::double as start
    from ${sql.table(resource.table)}
    where account_id = ${accountId} and ${condition} and ${sql.ref(read.start)} is not null
    order by start, id`.execute(db)
  return rows
}

/** Returns the earliest stored start in Unix seconds, or Infinity if no record is stored. */
export async function earliestStart({ db, accountId }: PlanContext, resource: Resource, read: Windows) {
  const { rows } = await sql<{ start: number | null }>`
    select floor(epoch(min(${sql.ref(read.start)})))::double as start
    from ${sql.table(resource.table)} where account_id = ${accountId}`.execute(db)
  return rows[0]?.start ?? Number.POSITIVE_INFINITY
}

/** Estimates the number of stored rows in a window from counts per day. */
async function densityOf({ db, accountId }: PlanContext, resource: Resource, read: Windows) {
  const { rows } = await sql<{ day: number; rows: number }>`
    select floor(epoch(${sql.ref(read.start)}) / 86400)::double as day, count(*)::double as rows
    from ${sql.table(resource.table)} where account_id = ${accountId} and ${sql.ref(read.start)} is not null
    group by day order by day`.execute(db)
  return (window: Window) => {
    let sum = 0
    for (const { day, rows: count } of rows) {
      const overlap = Math.min(window.end, (day + 1) * 86_400) - Math.max(window.start, day * 86_400)
      if (overlap > 0) sum += (count * overlap) / 86_400
    }
    return sum
  }
}

interface DueIds {
  readonly together: string[]
  /** Ids that were refused before. Each of them is requested alone, so that it cannot affect other ids. */
  readonly alone: string[]
}

/**
 * Returns ids that were never read, were refused, need a refresh, or belong to recently changed records. The hash of an
 * id spreads the refreshes over `afterDays`, so that ids that were read together are not all refreshed together.
 */
export async function dueIds(context: PlanContext, resource: Resource, read: ByIds): Promise<DueIds> {
  const source = sql.ref(read.from.column)
  const key = sql.ref(`stored.${resource.key[0]}`)
  const period = read.refresh.afterDays * 86_400
  const turn = (moment: RawBuilder<unknown>) =>
    sql`floor((epoch(${moment}) + hash(seen.id) % ${sql.lit(period)}) / ${sql.lit(period)})`
  const now = sql`${new Date(context.now * 1_000)}::timestamptz`
  const { rows } = await sql<{ id: string; was_refused: boolean }>`
    with seen as (
      select ${source}::varchar as id from ${sql.table(read.from.table)}
      where account_id = ${context.accountId} and ${source} is not null and ${source}::varchar not in ('', '0')
      union
      select ${key}::varchar from ${sql.table(resource.table)} stored
      where account_id = ${context.accountId} and vanished_at is null
    ), refused as (
      select distinct record_key as id from quarantine
      where account_id = ${context.accountId} and resource = ${resource.table} and record_key is not null
    )
    select seen.id, refused.id is not null or coalesce(checks.is_private, false) as was_refused
    from seen
    left join refused on refused.id = seen.id
    left join sync_checks checks
      on checks.account_id = ${context.accountId} and checks.resource = ${resource.table} and checks.id = seen.id
    left join ${sql.table(resource.table)} stored
      on stored.account_id = ${context.accountId} and ${key}::varchar = seen.id
    where checks.id is null or refused.id is not null or ${context.full}
      or ${turn(sql`checks.checked_at`)} < ${turn(now)}
      ${mayChange(context, resource, read)}
    order by seen.id`.execute(context.db)
  const idsWhere = (wasRefused: boolean) =>
    rows.filter((row) => row.was_refused === wasRefused).map(({ id }) => id)
  return { together: idsWhere(false), alone: idsWhere(true) }
}

/** Returns a few readable ids, to test whether the key can still read the resource. */
export async function recentIds({ db, accountId }: PlanContext, resource: Resource): Promise<string[]> {
  const key = sql.ref(resource.key[0]!)
  const { rows } = await sql<{ id: string }>`
    select ${key}::varchar as id from ${sql.table(resource.table)}
    where account_id = ${accountId} and vanished_at is null order by _seen_at desc, ${key} limit 3`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** Returns a condition for records that may still change. The condition begins with `or`. */
function mayChange({ now, lookbackDays }: PlanContext, resource: Resource, { refresh }: ByIds) {
  if (!refresh.while) return sql``
  const isOpen = sql`stored._run_id is not null and stored.vanished_at is null
    and ${sql.ref(`stored.${refresh.while.column}`)} is distinct from ${refresh.while.not}`
  if (resource.updated === undefined) return sql`or (${isOpen})`
  const touched = sql.ref(`stored.${resource.updated}`)
  const young = new Date((now - lookbackDays * 86_400) * 1_000)
  return sql`or (${isOpen} and (${touched} is null or ${touched} > ${young}))`
}
