import { type Config, loadConfig } from '../config/config.ts'
import { stringifyJson } from '../contract/json.ts'
import { ConfigError, unknownName } from '../errors.ts'
import { resolveStorage } from '../sdk/resolve-storage.ts'
import { workingAccounts } from '../warehouse/file/files.ts'
import { objectsOf } from '../warehouse/read/rows-to-objects.ts'
import { readWorkingFiles } from '../warehouse/read/working-files.ts'
import type { Flags } from './command.ts'
import { confirm } from './confirm.ts'
import type { Context } from './context.ts'

export async function removeAccount(
  { console, overrides }: Context,
  wanted: string,
  { yes, json }: Flags<'yes' | 'json'>,
): Promise<number> {
  const config = loadConfig(overrides)
  const { warehouse } = config
  const known = await knownAccounts(config)
  const accountId = chosen(known, wanted, String(warehouse))
  const name = known.get(accountId) ?? null
  const whose = `account ${accountId}${name === null ? '' : ` (${name})`}`
  if (!yes) {
    const warning = `This deletes every row of ${whose} from ${warehouse}, including all past snapshots.`
    await confirm(warning, warning)
  }
  const left = await (await resolveStorage(warehouse)).remove({ accountId, name })
  const text = `Deleted every row of ${whose} from ${warehouse}. Existing reports, exports and backups are unchanged.`
  console.out(json ? stringifyJson({ warehouse, accountId, name }) : text)
  if (left !== undefined) console.note(left)
  const { accounts } = config
  if (accounts.some((one) => (name !== null && one.name === name) || one.accountId === accountId))
    console.note('The account is still in the configuration, so the next sync adds it again.')
  return 0
}

/** Maps the id of each stored account to its name. Includes accounts that were never published. */
async function knownAccounts({ warehouse, settings, sync }: Config): Promise<Map<bigint, string | null>> {
  const storage = await resolveStorage(warehouse)
  const published = await storage.accounts()
  const missing = workingAccounts(storage.files).filter((account) => !published.has(account))
  if (missing.length === 0) return published
  const options = { memoryLimit: sync.memoryLimit, settings }
  const own = await readWorkingFiles(storage, options, async (reader) => {
    const [account] = objectsOf(await reader.query('from accounts'))
    return typeof account?.name === 'string' ? account.name : null
  })
  const names = own.map(({ accountId, found = null }) => [accountId, found] as const)
  return new Map([...names, ...published])
}

/** @throws ConfigError if no account or more than one account matches */
function chosen(known: ReadonlyMap<bigint, string | null>, wanted: string, place: string): bigint {
  const [found, ...others] = [...known].filter(
    ([id, name]) => String(id) === wanted || name?.toLowerCase() === wanted.toLowerCase(),
  )
  if (found && others.length === 0) return found[0]
  const names = [...known].map(([id, name]) => name ?? String(id))
  throw new ConfigError(
    found
      ? `Several accounts of ${place} have the name "${wanted}".`
      : `Unknown account "${wanted}" in ${place}.`,
    { next: found ? `Use an account id: ${[...known.keys()].join(', ')}.` : unknownName(wanted, names) },
  )
}
