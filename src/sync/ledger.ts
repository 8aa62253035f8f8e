import { type Kysely, sql, type Updateable } from 'kysely'
import type { Resource } from '../resources/resource.ts'
import type { BatchContext } from '../warehouse/load/upsert.ts'
import type { Database } from '../warehouse/schema/database.ts'
import type { Accepted } from './completeness.ts'
import { CLOCK_TOLERANCE_S, type Slice, STALE_S, secondsOf, type Window } from './slice.ts'

/** The status of a run is the worst status of its windows. */
export type RunStatus = 'ok' | 'partial' | 'failed'

/** Incomplete runs since the last complete one. The next run continues them. */
interface Chain {
  readonly runs: readonly bigint[]
  /** Start of the first of these runs by the service's clock, Unix seconds. Null if there are no such runs. */
  readonly startedAt: number | null
}

/** An interrupted run is resumed within this time. Later, its windows are read again from their beginning. */
const CONTINUED_FOR_S = 6 * 3_600

export async function unfinishedRuns(db: Kysely<Database>, accountId: bigint, now: number): Promise<Chain> {
  const runs = await db
    .selectFrom('sync_runs')
    .select(['run_id', 'status', 'service_time_at', 'as_of_at'])
    .where('account_id', '=', accountId)
    .where('service_time_at', '>=', new Date((now - CONTINUED_FOR_S) * 1_000))
    .where('service_time_at', '<=', new Date((now + CLOCK_TOLERANCE_S) * 1_000))
    .orderBy('run_id', 'desc')
    .execute()
  const end = runs.findIndex(
    (run) => run.as_of_at !== null || !['running', 'failed'].includes(run.status ?? ''),
  )
  const chain = end === -1 ? runs : runs.slice(0, end)
  const first = chain.at(-1)?.service_time_at
  return {
    runs: chain.map((run) => run.run_id!),
    startedAt: first ? secondsOf(first) : null,
  }
}

export interface Watermark {
  /** Everything up to this moment (Unix seconds) was read. Null if no run read everything. */
  readonly asOf: number | null
  /** Whether the latest run that read windows read all of them. True if there is no such run. */
  readonly isComplete: boolean
}

/** Returns how far earlier runs read an account. Ignores runs that read no windows. */
export async function readWatermark(db: Kysely<Database>, accountId: bigint): Promise<Watermark> {
  const runs = await db
    .selectFrom('sync_runs')
    .select('as_of_at')
    .where('account_id', '=', accountId)
    // Includes a run that continued another one and found no windows left to read. Such a run still has an `as_of_at`.
    .where((eb) =>
      eb.or([
        eb('as_of_at', 'is not', null),
        eb(
          'run_id',
          'in',
          eb.selectFrom('sync_windows').select('run_id').where('window_start', 'is not', null),
        ),
      ]),
    )
    .orderBy('run_id', 'desc')
    .execute()
  const last = runs.find((run) => run.as_of_at !== null)?.as_of_at
  return {
    asOf: last ? secondsOf(last) : null,
    isComplete: runs.length === 0 || runs[0]!.as_of_at !== null,
  }
}

/** Returns when the latest run began, Unix seconds. Ignores runs whose local clock differed from the service's. */
export async function latestStart(db: Kysely<Database>, accountId: bigint): Promise<number | null> {
  const { rows } = await sql<{ latest: number | null }>`
    select epoch(max(service_time_at))::double as latest from sync_runs
    where account_id = ${accountId} and abs(epoch(service_time_at) - epoch(started_at)) <= ${STALE_S}`.execute(
    db,
  )
  return rows[0]?.latest ?? null
}

/** Records the start of a run and returns its number. Runs that a killed process left open become failed. */
export async function beginRun(
  db: Kysely<Database>,
  run: { accountId: bigint; accountName: string | null; startedAt: Date; serviceTime: Date; version: string },
): Promise<number> {
  await db
    .updateTable('sync_runs')
    .set({ status: 'failed', message: 'interrupted' })
    .where('status', '=', 'running')
    .execute()
  const last = await db
    .selectFrom('sync_runs')
    .select((eb) => eb.fn.max('run_id').as('id'))
    .executeTakeFirst()
  const runId = Number(last?.id ?? 0) + 1
  await db
    .insertInto('sync_runs')
    .values({
      run_id: runId,
      account_id: run.accountId,
      account_name: run.accountName,
      started_at: run.startedAt,
      service_time_at: run.serviceTime,
      status: 'running',
      version: run.version,
    })
    .execute()
  return runId
}

export async function finishRun(
  db: Kysely<Database>,
  runId: number,
  totals: Updateable<Database['sync_runs']> & { readonly status: RunStatus },
) {
  await db.updateTable('sync_runs').set(totals).where('run_id', '=', BigInt(runId)).execute()
}

export async function openSlices(
  db: Kysely<Database>,
  { accountId, runId }: { readonly accountId: bigint; readonly runId: number },
  first: number,
  slices: readonly Slice[],
  now: Date,
): Promise<number[]> {
  if (slices.length === 0) return []
  await db
    .insertInto('sync_windows')
    .values(
      slices.map((slice, index) => ({
        account_id: accountId,
        run_id: runId,
        window_id: first + index,
        resource: slice.resource,
        reason: slice.reason,
        ...columnsOf(slice.window),
        state: 'open',
        rows_read: 0,
        requests: 0,
        cursor: slice.cursor,
        updated_at: now,
      })),
    )
    .execute()
  return slices.map((_, index) => first + index)
}

const columnsOf = (window: Window | null) => ({
  window_start: window && new Date(window.start * 1_000),
  window_end: window && new Date(window.end * 1_000),
})

export async function recordAccepted(
  db: Kysely<Database>,
  accepted: readonly (Omit<Accepted, 'runId'> & { readonly resource: Resource })[],
  { accountId, runId }: Pick<BatchContext, 'accountId' | 'runId'>,
): Promise<void> {
  const values = accepted.map(({ resource, window, rows }) => ({
    account_id: accountId,
    run_id: runId,
    resource: resource.table,
    ...columnsOf(window),
    row_count: rows,
  }))
  if (values.length > 0) await db.insertInto('sync_accepted').values(values).execute()
}

export async function acceptedWindows(
  { db, accountId }: { readonly db: Kysely<Database>; readonly accountId: bigint },
  resource: Resource,
): Promise<Accepted[]> {
  const rows = await db
    .selectFrom('sync_accepted')
    .select(['run_id', 'window_start', 'window_end', 'row_count'])
    .where('account_id', '=', accountId)
    .where('resource', '=', resource.table)
    .execute()
  return rows.map(({ run_id, window_start: start, window_end: end, row_count }) => ({
    runId: run_id!,
    window: start && end ? { start: secondsOf(start), end: secondsOf(end) } : null,
    rows: row_count === null ? null : Number(row_count),
  }))
}
