import { type Kysely, sql } from 'kysely'
import { ConfigError } from '../errors.ts'
import type { Resource } from '../resources/resource.ts'
import type { Database } from '../warehouse/database.ts'

/** Whose rows a run is about to write. */
export interface Claim {
  readonly accountId: bigint
  /** What the configuration calls the account; null for one that is alone and has no name. */
  readonly name: string | null
}

/**
 * Refuses an account that must not be written into this warehouse:
 * - one without a name where rows of another account are: every report would mix them, and nobody would see it;
 * - one with a name that is another account's here: two keys were exchanged, or one belongs to a third account.
 *
 * Several accounts of one configuration have names, so they may share a warehouse; so may one that was taken out of it.
 * @throws ConfigError that names both accounts
 */
export async function checkClaim(
  db: Kysely<Database>,
  { accountId, name }: Claim,
  { known, path }: { readonly known: readonly Resource[]; readonly path: string },
): Promise<void> {
  if (name === null) {
    const other = await otherAccount(db, known, accountId)
    if (other === undefined) return
    throw new ConfigError(
      `${path} holds account ${other}, and this app key belongs to account ${accountId}: reports would mix the two.`,
      { next: 'Use another warehouse for this account, or name both under `accounts` in config.json.' },
    )
  }
  const namesake = await db
    .selectFrom('accounts')
    .select('account_id')
    .where('name', '=', name)
    .where('account_id', '<>', accountId)
    .executeTakeFirst()
  if (namesake === undefined) return
  throw new ConfigError(
    `The app key of "${name}" belongs to account ${accountId}, but in ${path} that name is account ${namesake.account_id}.`,
    { next: 'Use the key of that account, or give this one another name under `accounts` in config.json.' },
  )
}

async function otherAccount(db: Kysely<Database>, resources: readonly Resource[], accountId: bigint) {
  const held = resources.map(
    ({ table }) => sql`(select account_id from ${sql.table(table)} where account_id <> ${accountId} limit 1)`,
  )
  const { rows } = await sql<{ account_id: bigint }>`${sql.join(held, sql` union all `)}`.execute(db)
  return rows[0]?.account_id
}

/** Notes the account and its present name. */
export async function noteAccount(db: Kysely<Database>, { accountId, name }: Claim): Promise<void> {
  await db.deleteFrom('accounts').where('account_id', '=', accountId).execute()
  await db.insertInto('accounts').values({ account_id: accountId, name }).execute()
}
