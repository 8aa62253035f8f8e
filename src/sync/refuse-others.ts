import { type Kysely, sql } from 'kysely'
import { ConfigError } from '../errors.ts'
import type { Resource } from '../resources/resource.ts'
import type { Database } from '../warehouse/database.ts'

/**
 * Refuses a warehouse that holds rows of another account than the one about to be read: every report would mix them,
 * and nobody would see it.
 * @throws ConfigError that names both accounts
 */
export async function refuseOthers(
  db: Kysely<Database>,
  resources: readonly Resource[],
  accountId: bigint,
  path: string,
): Promise<void> {
  const held = sql.join(
    resources.map(
      ({ table }) =>
        sql`(select account_id from ${sql.table(table)} where account_id <> ${accountId} limit 1)`,
    ),
    sql` union all `,
  )
  const { rows } = await sql<{ account_id: bigint }>`${held}`.execute(db)
  const other = rows[0]?.account_id
  if (other === undefined) return
  throw new ConfigError(
    `${path} holds account ${other}, and this app key belongs to account ${accountId}: reports would mix the two.`,
    {
      next: 'Use another warehouse for this account, or name both under `accounts` in config.json.',
    },
  )
}
