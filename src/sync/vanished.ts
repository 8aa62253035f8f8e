import { sql, type Transaction } from 'kysely'
import type { Database } from '../warehouse/database.ts'
import type { Reading } from '../warehouse/upsert.ts'
import type { Ending } from './batch.ts'

/**
 * Marks stored rows that a complete re-read of their span, or of their ids, did not bring: the service no longer has them. Never a
 * delete. Rows exactly on the span's ends are left alone, since the document does not say whether an end belongs to it.
 * @returns the number of rows marked
 */
export async function markVanished(
  tx: Transaction<Database>,
  { resource, reread }: Ending,
  reading: Reading,
): Promise<number> {
  if (reread === null || resource.read.kind !== 'windows') return 0
  const start = sql.ref(resource.read.start)
  const key = sql.ref(resource.key[0]!)
  const asked = reread.ids ? sql`and ${key} in (select unnest(${[...reread.ids]}::varchar[]))` : sql``
  const result = await sql`
    update ${sql.table(resource.table)}
    set vanished_at = ${new Date(reading.seenAt)}
    where account_id = ${reading.accountId}
      and ${start} > ${new Date(reread.start * 1_000)} and ${start} < ${new Date(reread.end * 1_000)}
      and vanished_at is null ${asked}
      and ${key} not in (select unnest(${[...reread.keys]}::varchar[]))
    returning 1`.execute(tx)
  return result.rows.length
}
