import { z } from 'zod'
import { duplicates, optionalText, quota, refuse, serviceUrl } from '../settings/config-fields.ts'
import { pathFrom } from '../settings/secret-file.ts'
import { moment } from './parse-timestamp.ts'
import { cron } from './schedule.ts'

const MESSAGE = 'expected an account id; ids above 9007199254740991 must be in quotes'
const NAME =
  'expected a name that starts with a letter and contains letters, digits, spaces, ".", "_" and "-"'

/** Id of an account. It can be a string in the configuration, because a JSON number is exact only up to 2^53. */
export const accountId = z
  .union([z.int(MESSAGE).positive(MESSAGE), z.string().regex(/^[1-9]\d{0,18}$/, MESSAGE)], MESSAGE)
  .transform((value) => BigInt(value))
  .optional()
  .describe('Id of the account, if the service does not send one. If it does, the two must match.')

const account = z
  .strictObject({
    // A name starts with a letter, so that `--account 7` is always an id. A comma would separate two names.
    name: z
      .string()
      .regex(/^\p{L}[\p{L}\p{N} ._-]{0,63}$/u, NAME)
      .describe('Name of the account in reports and on the command line.'),
    baseUrl: serviceUrl
      .optional()
      .describe('Address of the service for this account. Default: the general `baseUrl`.'),
    appKeyFile: optionalText('File that contains only the app key of the account.'),
    appKeyEnv: z
      .string()
      .regex(/^[A-Za-z_]\w*$/, 'expected the name of a variable')
      .optional()
      .describe('Environment variable that contains the app key of the account.'),
    accountId,
    quota: quota.optional().describe("Share of the account's rate limits to use."),
    since: moment.optional().describe('Oldest incidents to sync for this account.'),
    schedule: cron
      .optional()
      .describe('Times at which `faultline start` syncs the account, as a cron expression.'),
  })
  .refine(({ appKeyFile, appKeyEnv }) => !(appKeyFile && appKeyEnv), {
    error: 'expected `appKeyFile` or `appKeyEnv`, not both',
    path: ['appKeyEnv'],
  })

export const accountsSchema = z
  .array(account)
  .min(1)
  .superRefine((accounts, context) => {
    for (const index of duplicates(accounts))
      refuse(context, `duplicate name "${accounts[index]!.name}"`, [index, 'name'])
  })

type Listed = z.output<typeof account>

/** An account to sync. Missing fields have the values of the general settings. */
export interface Account extends Omit<Listed, 'name' | 'quota' | 'since'> {
  /** Undefined if the configuration has no `accounts`. */
  readonly name?: string | undefined
  /** The key from the environment, which overrides `appKeyFile`. */
  readonly appKey?: string | undefined
  readonly quota: number
  readonly since: string
  /** Whether `baseUrl` may be the unencrypted http:// address of another machine. */
  readonly insecure?: boolean | undefined
}

/** Returns the accounts. An account that configures a key never uses the general key, even if its key is missing. */
export function accountsOf(
  listed: readonly Listed[] | undefined,
  common: Account,
  folder: string,
  variable: (name: string) => string | undefined,
): readonly Account[] {
  if (!listed) return [common]
  return listed.map(({ appKeyFile, appKeyEnv, quota = common.quota, since = common.since, ...one }) => {
    const { accountId } = one
    const hasKey = appKeyFile !== undefined || appKeyEnv !== undefined
    const key = { appKeyFile: pathFrom(folder, appKeyFile), appKey: appKeyEnv && variable(appKeyEnv) }
    return { ...common, ...one, quota, since, accountId, ...(hasKey && { ...key, appKeyEnv }) }
  })
}
