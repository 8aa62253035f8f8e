import { quoteIdentifier, quoteLiteral } from '../../definitions/quote.ts'
import type { IdSource, Resource } from '../../resources/resource.ts'
import type { Session } from './session.ts'

/** Counts records that are not missing. A key of the result has the form `table account_id`. */
export async function countRows(
  session: Session,
  resources: readonly Resource[],
): Promise<Map<string, bigint>> {
  const counts = resources.map(
    ({ table }) =>
      `select concat_ws(' ', ${quoteLiteral(table)}, account_id), count(*) from ${quoteIdentifier(table)} where vanished_at is null group by account_id`,
  )
  const { rows } = await session.query(counts.join(' union all '))
  return new Map(rows.map(([key, count]) => [String(key), count as bigint]))
}

export async function storedId(session: Session, { table, column }: IdSource): Promise<string | undefined> {
  const id = `${quoteIdentifier(column)}::varchar`
  const { rows } = await session.query(
    `select ${id} from ${quoteIdentifier(table)} where ${id} not in ('', '0') limit 1`,
  )
  return rows[0]?.[0] as string | undefined
}
