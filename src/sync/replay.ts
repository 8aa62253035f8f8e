import { sql, type Transaction } from 'kysely'
import { parseJson } from '../contract/json.ts'
import type { Resource } from '../resources/resource.ts'
import { keyOf, type RecordRow } from '../warehouse/load/record-row.ts'
import { createStaging } from '../warehouse/load/staging.ts'
import { type BatchContext, upsert } from '../warehouse/load/upsert.ts'
import type { Database } from '../warehouse/schema/database.ts'
import type { Warehouse } from '../warehouse/warehouse.ts'
import { recordDrift } from './checkpoints.ts'
import { isTruncated, stamped } from './quarantined-record.ts'
import type { UnknownWord } from './undocumented-fields.ts'
import { createValidator } from './validate-records.ts'

type Tx = Transaction<Database>

export interface Replayed {
  readonly loaded: number
  /**
   * Records that are valid now, but were not loaded, because a newer copy is stored or the record is marked as missing.
   */
  readonly outdated: number
  /** Records that are still in quarantine. */
  readonly waiting: number
}

/** Quarantined records that one run read at the same moment. */
interface Group extends BatchContext {
  readonly resource: Resource
  readonly records: { readonly row: bigint; readonly record: unknown }[]
}

/** Loads quarantined records that are valid now, in one transaction. Never replaces a copy that was read later. */
export async function replayQuarantine(warehouse: Warehouse, resources: readonly Resource[]) {
  return warehouse.db.transaction().execute(async (tx) => {
    let loaded = 0
    let outdated = 0
    for (const group of await groupsOf(tx, resources)) {
      const done = await replay(tx, group)
      loaded += done.loaded
      outdated += done.outdated
    }
    const left = await tx
      .selectFrom('quarantine')
      .select((eb) => eb.fn.countAll().as('rows'))
      .executeTakeFirstOrThrow()
    return { loaded, outdated, waiting: Number(left.rows) }
  })
}

/** Groups the quarantined records that might be loaded. Skips truncated records and unknown resources. */
async function groupsOf(tx: Tx, resources: readonly Resource[]): Promise<Group[]> {
  const { rows } = await sql<{
    row: bigint
    resource: string
    account_id: bigint | null
    run_id: bigint | null
    seen_at: Date | null
    payload: string
  }>`
    select rowid as row, resource, account_id, run_id, seen_at, payload
    from quarantine order by seen_at, rowid`.execute(tx)
  const groups = new Map<string, Group>()
  for (const { row, resource: table, account_id, run_id, seen_at, payload } of rows) {
    const resource = resources.find((one) => one.table === table)
    if (!resource || account_id === null) continue
    const record = parseJson(payload)
    if (isTruncated(record)) continue
    const seenAt = seen_at?.getTime() ?? 0
    const id = `${table} ${account_id} ${run_id} ${seenAt}`
    const reading = { accountId: account_id, runId: Number(run_id ?? 0), seenAt }
    const group = groups.get(id) ?? { resource, ...reading, records: [] }
    groups.set(id, group)
    group.records.push({ row, record: stamped(resource, record, Math.floor(seenAt / 1_000)) })
  }
  return [...groups.values()]
}

async function replay(tx: Tx, group: Group) {
  const { resource } = group
  const validate = createValidator(resource, group.accountId)
  const fitting: { row: bigint; record: RecordRow }[] = []
  const unknown = new Set<string>()
  const words = new Map<string, UnknownWord>()
  for (const { row, record } of group.records) {
    const validated = validate([record], group.seenAt / 1_000)
    const [accepted] = validated.accepted
    if (accepted === undefined) continue
    fitting.push({ row, record: accepted })
    for (const field of validated.unknown) unknown.add(field)
    for (const [key, word] of validated.words) words.set(key, word)
  }
  if (fitting.length === 0) return { loaded: 0, outdated: 0 }
  const key = keyOf(resource)
  const keys = fitting.map(({ record }) => key(record))
  const later = await readLater(tx, group, keys)
  const news = fitting.filter((_, index) => !later.has(keys[index]!))
  const staging = createStaging(resource)
  staging.add(news.map(({ record }) => record))
  await upsert(tx, staging, group)
  await recordDrift(tx, [{ resource, unknown, words }], group)
  await sql`
    delete from quarantine where rowid in (select unnest(${fitting.map(({ row }) => row)}::bigint[]))`.execute(
    tx,
  )
  return { loaded: news.length, outdated: fitting.length - news.length }
}

/** Returns the keys of records that were stored or marked as missing after the quarantined record was read. */
async function readLater(tx: Tx, { resource, accountId, seenAt }: Group, keys: readonly string[]) {
  const parts = resource.key.map((column) => sql`${sql.ref(column)}::varchar`)
  const key = sql`concat_ws(chr(0), ${sql.join(parts)})`
  const { rows } = await sql<{ key: string }>`
    select ${key} as key from ${sql.table(resource.table)}
    where account_id = ${accountId} and greatest(_seen_at, vanished_at) > ${new Date(seenAt)}
      and ${key} in (select unnest(${keys}::varchar[]))`.execute(tx)
  return new Set(rows.map((row) => row.key))
}
