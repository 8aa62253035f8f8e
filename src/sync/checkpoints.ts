import { sql, type Transaction } from 'kysely'
import type { Resource } from '../resources/resource.ts'
import type { BatchContext } from '../warehouse/load/upsert.ts'
import type { Database } from '../warehouse/schema/database.ts'
import type { Batch, SliceEnd, StagedPage } from './batch.ts'
import { release } from './quarantine.ts'
import { UNKNOWN_WORD, WORDS_MOST } from './undocumented-fields.ts'

type Tx = Transaction<Database>

/** Stores undocumented fields and enum values in `schema_drift`, each only once. */
export async function recordDrift(
  tx: Tx,
  pages: readonly Pick<StagedPage, 'resource' | 'unknown' | 'words'>[],
  reading: Pick<BatchContext, 'accountId' | 'runId' | 'seenAt'>,
): Promise<void> {
  const drifts = new Map(
    pages
      .flatMap(({ resource: { table }, unknown, words }) => [
        ...[...unknown].map((field) => ({ resource: table, field, kind: 'unknown field' })),
        ...[...words.values()].map(({ field, word }) => ({
          resource: table,
          field,
          kind: `${UNKNOWN_WORD}${word}`,
        })),
      ])
      .map((drift) => [keyOf(drift), drift]),
  )
  if (drifts.size === 0) return
  const known = await tx
    .selectFrom('schema_drift')
    .select(['resource', 'field', 'kind'])
    .where('account_id', '=', reading.accountId)
    .execute()
  for (const drift of known) drifts.delete(keyOf(drift))
  let words = known.filter(isWord).length
  for (const [key, drift] of drifts) if (isWord(drift) && ++words > WORDS_MOST) drifts.delete(key)
  if (drifts.size === 0) return
  const first = {
    account_id: reading.accountId,
    run_id: reading.runId,
    first_seen_at: new Date(reading.seenAt),
  }
  await tx
    .insertInto('schema_drift')
    .values([...drifts.values()].map((one) => ({ ...one, ...first })))
    .execute()
}

const isWord = ({ kind }: { readonly kind: string | null }) => kind?.startsWith(UNKNOWN_WORD) === true

const keyOf = (drift: { resource: string | null; field: string | null; kind: string | null }) =>
  JSON.stringify([drift.resource, drift.field, drift.kind])

/** How the service responded for an id: with the record, without a record, or by denying this key access. */
type IdState = 'found' | 'missing' | 'private'

/** Stores the responses for requested ids. `markVanished` later handles stored records that are now missing. */
export async function recordChecks(tx: Tx, pages: readonly StagedPage[], reading: BatchContext) {
  for (const resource of new Set(pages.map((page) => page.resource))) {
    const states = new Map<string, IdState>()
    for (const page of pages) {
      if (page.resource !== resource) continue
      const [missing, denied] = [new Set(page.missing), new Set(page.denied)]
      for (const id of page.checked)
        states.set(id, denied.has(id) ? 'private' : missing.has(id) ? 'missing' : 'found')
    }
    const idsIn = (wanted: IdState) => [...states].flatMap(([id, state]) => (state === wanted ? [id] : []))
    const missing = idsIn('missing')
    const stored = missing.length === 0 ? new Set() : await storedOf(tx, resource, missing, reading)
    const unstored = missing.filter((id) => !stored.has(id))
    await recordChecked(tx, resource, idsIn('found'), 'found', reading)
    await recordChecked(tx, resource, unstored, 'missing', reading)
    await recordChecked(tx, resource, idsIn('private'), 'private', reading)
    await release(tx, resource, [...missing, ...idsIn('private')], reading)
  }
}

export async function recordChecked(
  tx: Tx,
  resource: Resource,
  ids: readonly string[],
  state: IdState,
  reading: BatchContext,
): Promise<void> {
  if (ids.length === 0) return
  const looked = sql<string>`(select unnest(${[...ids]}::varchar[]) as id)`
  await tx
    .deleteFrom('sync_checks')
    .where('account_id', '=', reading.accountId)
    .where('resource', '=', resource.table)
    .where('id', 'in', looked)
    .execute()
  await sql`insert into sync_checks by name
    select ${reading.accountId}::bigint as account_id, ${resource.table} as resource, id,
      ${new Date(reading.seenAt)} as checked_at, ${state === 'missing'} as is_missing,
      ${state === 'private'} as is_private
    from ${looked}`.execute(tx)
}

async function storedOf(tx: Tx, resource: Resource, ids: readonly string[], reading: BatchContext) {
  const key = sql`${sql.ref(resource.key[0]!)}::varchar`
  const { rows } = await sql<{ id: string }>`
    select ${key} as id from ${sql.table(resource.table)}
    where account_id = ${reading.accountId} and vanished_at is null and ${key} in (select unnest(${[...ids]}::varchar[]))`.execute(
    tx,
  )
  return new Set(rows.map(({ id }) => id))
}

/** Saves how far each window was read, so that a later run can continue there. */
export async function saveBookmarks(
  tx: Tx,
  batch: Readonly<Pick<Batch, 'pages'>> & { readonly ends: readonly SliceEnd[] },
  reading: BatchContext,
): Promise<void> {
  const ids = [...new Set(batch.pages.map(({ windowId }) => windowId))]
  const read = ids.map((id) => {
    const pages = batch.pages.filter(({ windowId }) => windowId === id)
    return { id, pages, last: pages.at(-1)! }
  })
  if (read.length > 0) {
    await sql`update sync_windows w set rows_read = w.rows_read + n.rows_read, requests = w.requests + n.requests,
        cursor = n.cursor, total_seen = n.total_seen, updated_at = ${new Date(reading.seenAt)}
      from (
        select unnest(${read.map(({ id }) => id)}::bigint[]) as window_id,
          unnest(${read.map(({ pages }) => pages.reduce((sum, one) => sum + one.rows, 0))}::bigint[]) as rows_read,
          unnest(${read.map(({ pages }) => pages.length)}::bigint[]) as requests,
          unnest(${read.map(({ last }) => last.cursor)}::varchar[]) as cursor,
          unnest(${read.map(({ last }) => last.total)}::bigint[]) as total_seen
      ) n
      where w.run_id = ${reading.runId} and w.window_id = n.window_id`.execute(tx)
  }
  const { ends } = batch
  if (ends.length > 0) {
    await sql`update sync_windows w set state = n.state, message = n.message, cursor = null,
        updated_at = ${new Date(reading.seenAt)}
      from (
        select unnest(${ends.map(({ windowId }) => windowId)}::bigint[]) as window_id,
          unnest(${ends.map(({ state }) => state)}::varchar[]) as state,
          unnest(${ends.map(({ message }) => message)}::varchar[]) as message
      ) n
      where w.run_id = ${reading.runId} and w.window_id = n.window_id`.execute(tx)
  }
}
