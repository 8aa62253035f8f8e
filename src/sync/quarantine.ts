import { type Kysely, sql, type Transaction } from 'kysely'
import type { Resource } from '../resources/resource.ts'
import type { Staging } from '../warehouse/load/staging.ts'
import type { BatchContext } from '../warehouse/load/upsert.ts'
import type { Database } from '../warehouse/schema/database.ts'
import type { SliceEnd, StagedPage } from './batch.ts'
import { UNREADABLE } from './page.ts'
import { recordKeyOf } from './quarantined-record.ts'

type Tx = Transaction<Database>

/** Stores rejected records. Returns how many of them were not in quarantine before. */
export async function quarantine(tx: Tx, pages: readonly StagedPage[], reading: BatchContext) {
  // Requests for neighboring windows overlap, so a batch can contain a record twice. The last copy is stored.
  const rejected = new Map(
    pages.flatMap(({ resource, requestId, rejected: some }) =>
      some.map((one) => [`${resource.table} ${one.payload}`, { ...one, resource, requestId }] as const),
    ),
  )
  if (rejected.size === 0) return 0
  const rows = [...rejected.values()]
  const now = new Date(reading.seenAt)
  await sql`
    create or replace temp table stage_rejected as
    select unnest(${rows.map(({ resource }) => resource.table)}::varchar[]) as resource,
           unnest(${rows.map(({ resource }) => resource.operation)}::varchar[]) as operation,
           unnest(${rows.map(({ requestId }) => requestId)}::varchar[]) as request_id,
           unnest(${rows.map(({ path }) => path)}::varchar[]) as path,
           unnest(${rows.map(({ reason }) => reason)}::varchar[]) as reason,
           unnest(${rows.map(({ payload }) => payload)}::varchar[]) as payload,
           unnest(${rows.map(({ key }) => key)}::varchar[]) as record_key`.execute(tx)
  const same = sql`q.account_id = ${reading.accountId} and q.resource = s.resource and q.payload = s.payload`
  const { rows: counts } = await sql<{ waiting: number }>`
    select count(*)::int as waiting from stage_rejected s where exists (select 1 from quarantine q where ${same})`.execute(
    tx,
  )
  const { waiting = 0 } = counts[0] ?? {}
  await sql`
    update quarantine q
    set times_seen = coalesce(q.times_seen, 1) + if(q.run_id is distinct from ${reading.runId}, 1, 0),
        run_id = ${reading.runId}, request_id = s.request_id, path = s.path, reason = s.reason,
        record_key = s.record_key, seen_at = ${now}
    from stage_rejected s where ${same}`.execute(tx)
  await sql`
    insert into quarantine by name
    select s.*, ${reading.runId} as run_id, ${reading.accountId} as account_id,
           ${now} as first_seen_at, ${now} as seen_at, 1 as times_seen
    from stage_rejected s where not exists (select 1 from quarantine q where ${same})`.execute(tx)
  await sql`drop table stage_rejected`.execute(tx)
  return rows.length - waiting
}

interface Waiting {
  /** Records from the interrupted runs that this run continues. */
  readonly ofChain: number
  readonly ofEarlier: number
}

/** `chainStart` is the start of the interrupted run that this run continues, in Unix seconds. */
export async function countOlderQuarantined(
  db: Kysely<Database>,
  { runId, accountId }: Pick<BatchContext, 'runId' | 'accountId'>,
  chainStart: number | null,
): Promise<Waiting> {
  const from = chainStart === null ? null : new Date(chainStart * 1_000)
  const { rows } = await sql<Waiting>`
    select count(*) filter (is_of_chain)::int as "ofChain", count(*) filter (not is_of_chain)::int as "ofEarlier"
    from (
      select coalesce(min(first_seen_at) >= ${from}::timestamptz, false) as is_of_chain
      from quarantine
      where account_id = ${accountId} and (run_id is distinct from ${runId} or times_seen > 1)
      group by resource, coalesce(payload, path)
    )`.execute(db)
  return rows[0]!
}

export async function resolve(tx: Tx, { resource, keys }: Staging, reading: BatchContext): Promise<void> {
  const waiting = await tx
    .selectFrom('quarantine')
    .select('record_key')
    .distinct()
    .where('account_id', '=', reading.accountId)
    .where('resource', '=', resource.table)
    .where('record_key', 'is not', null)
    .execute()
  if (waiting.length === 0) return
  const good = new Set(Array.from(keys(), (key) => recordKeyOf(resource, key)))
  const resolved = waiting.flatMap(({ record_key: key }) => (key !== null && good.has(key) ? [key] : []))
  await release(tx, resource, resolved, reading)
}

export async function release(
  tx: Tx,
  resource: Resource,
  keys: readonly string[],
  { accountId }: Pick<BatchContext, 'accountId'>,
): Promise<void> {
  if (keys.length === 0) return
  await tx
    .deleteFrom('quarantine')
    .where('account_id', '=', accountId)
    .where('resource', '=', resource.table)
    .where('record_key', 'in', keys)
    .execute()
}

/** Removes unreadable positions of a list from quarantine if this run could read their window. */
export async function releaseReadable(tx: Tx, ends: readonly SliceEnd[], reading: BatchContext) {
  const { rows } = await sql<{ resource: string; record_key: string }>`
    select resource, record_key from quarantine
    where account_id = ${reading.accountId} and run_id is distinct from ${reading.runId}
      and starts_with(record_key, ${UNREADABLE})`.execute(tx)
  if (rows.length === 0) return
  for (const { resource, whole } of ends) {
    if (whole === undefined) continue
    // Requests extend a window by one second at both ends.
    const isIn = (at: number) => whole === null || (at >= whole.start - 1 && at <= whole.end)
    const keys = rows.flatMap((row) => (row.resource === resource.table ? [row.record_key] : []))
    const read = keys.filter((key) => isIn(Number(key.slice(UNREADABLE.length))))
    await release(tx, resource, read, reading)
  }
}
