import { resolve } from 'node:path'
import { z } from 'zod'
import { optionalText, serviceUrl, share } from '../settings/config-fields.ts'
import { moment } from './parse-timestamp.ts'
import { cron } from './schedule.ts'

const MESSAGE = 'expected an account id; ids above 9007199254740991 must be in quotes'
const NAME =
  'expected a name that starts with a letter and contains letters, digits, spaces, ".", "_" and "-"'

/**
 * Id of an account, as a bigint. The configuration can contain it as a string, because a JSON number is exact only up
 * to 2^53.
 */
export const accountId = z
  .union([z.int(MESSAGE).positive(MESSAGE), z.string().regex(/^[1-9]\d{0,18}$/, MESSAGE)], MESSAGE)
  .transform((value) => BigInt(value))

const account = z
  .strictObject({
    // A name cannot be a number, so that `--account 7` is always an id. A name cannot contain a comma, because commas
    // separate names.
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
    accountId: accountId
      .optional()
      .describe('Id of the account, if the service does not send one. If it does, the two must match.'),
    quota: share.optional().describe("Share of the account's rate limits to use."),
    since: moment.optional().describe('Oldest incidents to sync for this account.'),
    schedule: cron
      .optional()
      .describe('Times at which `faultline start` syncs the account, as a cron expression.'),
  })
  .refine(({ appKeyFile, appKeyEnv }) => !(appKeyFile && appKeyEnv), {
    error: 'expected `appKeyFile` or `appKeyEnv`, not both',
    path: ['appKeyEnv'],
  })

/** Several accounts in one warehouse. Missing fields default to those of the configuration. */
export const accountsSchema = z
  .array(account)
  .min(1)
  .superRefine((accounts, context) => {
    const names = new Set<string>()
    for (const [index, { name }] of accounts.entries()) {
      const plain = name.toLowerCase()
      if (names.has(plain)) {
        context.addIssue({ code: 'custom', message: `duplicate name "${name}"`, path: [index, 'name'] })
      }
      names.add(plain)
    }
  })

/** An account to sync, with defaults from the configuration. */
export interface Account {
  /** Undefined if the configuration has no `accounts`. */
  readonly name: string | undefined
  readonly baseUrl: string | undefined
  readonly appKeyFile: string | undefined
  readonly appKeyEnv: string | undefined
  /** From the environment. Overrides the file. */
  readonly appKey: string | undefined
  readonly accountId: bigint | undefined
  readonly quota: number
  readonly since: string
  /** Whether `baseUrl` can be an http:// address of another machine. */
  readonly insecure?: boolean | undefined
  /** Cron expression of the account's sync. If undefined, the account is synced together with the others. */
  readonly schedule: string | undefined
}

/**
 * Returns the accounts. An account with its own key settings never uses the common key, even if its own key is missing.
 */
export function accountsOf(
  listed: z.output<typeof accountsSchema> | undefined,
  common: Omit<Account, 'name' | 'appKeyEnv' | 'schedule'>,
  folder: string,
  variable: (name: string) => string | undefined,
): readonly Account[] {
  if (!listed) return [{ ...common, name: undefined, appKeyEnv: undefined, schedule: undefined }]
  return listed.map((one) => {
    const hasKey = one.appKeyFile !== undefined || one.appKeyEnv !== undefined
    return {
      name: one.name,
      baseUrl: one.baseUrl ?? common.baseUrl,
      appKeyFile: hasKey ? one.appKeyFile && resolve(folder, one.appKeyFile) : common.appKeyFile,
      appKeyEnv: one.appKeyEnv,
      appKey: hasKey ? one.appKeyEnv && variable(one.appKeyEnv) : common.appKey,
      accountId: one.accountId,
      quota: one.quota ?? common.quota,
      since: one.since ?? common.since,
      schedule: one.schedule,
      insecure: common.insecure,
    }
  })
}
