import type { Kysely } from 'kysely'
import { ConfigError } from '../errors.ts'
import { workingAccounts } from '../warehouse/file/files.ts'
import type { Published } from '../warehouse/published.ts'
import type { Database } from '../warehouse/schema/database.ts'

interface NamedAccount {
  readonly accountId: bigint
  readonly name: string | null
}

/**
 * Prevents reports that mix two accounts. An account without a name must be the only one in its warehouse. A name must
 * not be stored for another account, because that indicates swapped app keys.
 * @throws ConfigError that names both accounts
 */
export async function checkAccountName(published: Published, { accountId, name }: NamedAccount) {
  const known = await published.accounts()
  if (name === null) {
    const other = [...known.keys(), ...workingAccounts(published.files)].find((one) => one !== accountId)
    if (other === undefined) return
    throw new ConfigError(
      `This app key belongs to account ${accountId}, but ${published.name} contains account ${other}. Reports would mix the two.`,
      { next: 'Use another warehouse for this account, or name both under `accounts` in config.json.' },
    )
  }
  const [namesake] = [...known].find(([id, one]) => one === name && id !== accountId) ?? []
  if (namesake === undefined) return
  throw new ConfigError(
    `The app key of "${name}" belongs to account ${accountId}, but in ${published.name} that name is account ${namesake}.`,
    { next: 'Use the key of that account, or give this one another name under `accounts` in config.json.' },
  )
}

export async function recordName(db: Kysely<Database>, { accountId, name }: NamedAccount): Promise<void> {
  await db.updateTable('accounts').set({ name }).where('account_id', '=', accountId).execute()
}
