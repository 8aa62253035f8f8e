import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { type Account, accountId, accountsOf, accountsSchema } from './config/accounts.ts'
import { type Delivery, deliveryOf, deliverySchema } from './config/delivery.ts'
import { type PrivacyRules, privacyRules, privacySchema } from './config/privacy.ts'
import { reportingSchema, settingsOf } from './config/reporting.ts'
import { defaultRuntime } from './config/runtime.ts'
import { scheduleSchema } from './config/schedule.ts'
import { SAFE_LIST_WINDOW_S } from './contract/assumptions.ts'
import { ConfigError } from './errors.ts'
import type { Settings } from './settings.ts'
import { unknownName } from './suggest.ts'
import { isZone } from './zone.ts'

/**
 * The configuration file. A field that is not here is a mistake, and says so. Each field carries a description: editors
 * show it, from the schema that `faultline init` writes beside the file.
 */
export const configSchema = z.strictObject({
  $schema: z.string().optional().describe('Where an editor finds the description of these fields.'),
  baseUrl: z
    .url({ protocol: /^https?$/, error: 'expected an address that begins with http:// or https://' })
    .optional()
    .describe('Address of the service.'),
  appKeyFile: z
    .string()
    .min(1)
    .optional()
    .describe(
      'A file that holds nothing but the app key. The key itself never stands in the configuration; FAULTLINE_APP_KEY goes before the file.',
    ),
  accountId: accountId
    .optional()
    .describe('The account of the app key, for a service that does not tell it; a check where it does.'),
  accounts: accountsSchema
    .optional()
    .describe(
      'Several accounts in one warehouse, each with a key of its own; what one leaves out is as above.',
    ),
  warehouse: z
    .string()
    .min(1)
    .default('faultline.duckdb')
    .describe('The DuckDB file for readers; the sync keeps its own beside it.'),
  out: z.string().min(1).default('out').describe('Where reports are written.'),
  reports: z
    .string()
    .min(1)
    .optional()
    .describe('Folder of reports of your own, besides those that come with Faultline.'),
  runtime: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder in which runs on this machine meet that share the rate limits; /tmp/faultline-<uid> when left out.',
    ),
  resources: z.array(z.string()).min(1).optional().describe('Resources to sync; all of them when left out.'),
  sync: z
    .strictObject({
      since: z
        .string()
        .min(1)
        .default('365d')
        .describe('Oldest incidents wanted: a date, or an age such as 365d.'),
      lookbackDays: z
        .number()
        .min(0)
        .max(366)
        .default(31)
        .describe('Days read again every run, because incidents change after they began.'),
      windowDays: z
        .number()
        .min(1 / 24, 'a window is an hour long at least')
        .max(31, 'the service takes windows of 31 days at most')
        .default(31)
        .transform((days) => Math.min(days * 86_400, SAFE_LIST_WINDOW_S))
        .describe('Longest window to ask for; the service refuses more than 31 days.'),
      quota: z
        .number()
        .positive()
        .max(1)
        .default(1)
        .describe(
          "Share of the account's rate limits to use, together with other runs on this machine: people on call use them too.",
        ),
      concurrency: z
        .number()
        .int()
        .min(1)
        .max(50)
        .optional()
        .describe(
          'Windows read side by side; 8 to 32 unless given, by how long the service takes to answer.',
        ),
      memoryLimit: z
        .string()
        .regex(/^\d+(\.\d+)?\s*(KB|MB|GB|TB|KiB|MiB|GiB|TiB)$/i, 'expected a size such as 512MB')
        .default('256MB')
        .describe('Memory DuckDB may use.'),
    })
    .prefault({})
    .describe('How incidents are read.'),
  timezone: z
    .string()
    .refine(isZone, 'expected an IANA time zone name, such as Europe/Berlin')
    .optional()
    .describe('Zone of reports that name none.'),
  reporting: reportingSchema.describe('How figures are judged and counted.'),
  privacy: privacySchema.describe('What is not stored, or only as a keyed hash.'),
  schedule: scheduleSchema.describe('When `faultline start` syncs and makes reports.'),
  delivery: deliverySchema.describe('Where reports go when they are made.'),
})

/** What may be written in the file. */
export type ConfigFields = z.input<typeof configSchema>

/** The configuration as it is used: defaults filled in, paths absolute. */
export type Config = Omit<z.output<typeof configSchema>, '$schema' | 'accounts'> & {
  /** From the environment. Commands that talk to the service take the key from `requireService`. */
  readonly appKey: string | undefined
  /** Those that are listed, else the one unnamed; never none. */
  readonly accounts: readonly Account[]
  /** From the environment. What stores anything takes the rules with their salt from `requirePrivacy`. */
  readonly salt: string | undefined
  /** `reporting` as rows of the warehouse's tables `config_*`. */
  readonly settings: Settings
  readonly runtime: string
  readonly delivery: Delivery
}

/** What the command line says; it goes before the environment, and that before the file. */
export interface Overrides {
  readonly config?: string | undefined
  readonly warehouse?: string | undefined
  readonly baseUrl?: string | undefined
}

/** Where the configuration lies, or would: absolute. */
export function configPath(overrides: Overrides = {}, environment = process.env): string {
  return resolve(overrides.config ?? variableOf(environment)('FAULTLINE_CONFIG') ?? 'config.json')
}

/** Set to nothing is not set: compose files and CI write variables that way. Blanks are never meant. */
function variableOf(environment: NodeJS.ProcessEnv) {
  return (name: string) => environment[name]?.trim() || undefined
}

/** The only place that reads the environment. */
export function loadConfig(overrides: Overrides = {}, environment = process.env): Config {
  const variable = variableOf(environment)
  const path = configPath(overrides, environment)
  const isNamed = (overrides.config ?? variable('FAULTLINE_CONFIG')) !== undefined
  const file = isNamed || existsSync(path) ? parseConfig(readText(path), path) : configSchema.parse({})
  const folder = dirname(path)
  const { $schema: _, accounts, ...rest } = file
  const common = {
    baseUrl: overrides.baseUrl ?? variable('FAULTLINE_BASE_URL') ?? file.baseUrl,
    appKeyFile: file.appKeyFile === undefined ? undefined : resolve(folder, file.appKeyFile),
    appKey: variable('FAULTLINE_APP_KEY'),
    accountId: file.accountId,
  }
  return {
    ...rest,
    ...common,
    accounts: accountsOf(
      accounts,
      { ...common, quota: file.sync.quota, since: file.sync.since },
      folder,
      variable,
    ),
    warehouse: resolve(
      overrides.warehouse ?? variable('FAULTLINE_WAREHOUSE') ?? resolve(folder, file.warehouse),
    ),
    out: resolve(folder, file.out),
    runtime: resolve(variable('FAULTLINE_RUNTIME') ?? resolve(folder, file.runtime ?? defaultRuntime())),
    reports: file.reports === undefined ? undefined : resolve(folder, file.reports),
    salt: variable('FAULTLINE_PRIVACY_SALT'),
    privacy: {
      ...file.privacy,
      saltFile: file.privacy.saltFile && resolve(folder, file.privacy.saltFile),
    },
    settings: settingsOf(file.reporting),
    schedule: {
      ...file.schedule,
      healthFile: file.schedule.healthFile && resolve(folder, file.schedule.healthFile),
    },
    delivery: deliveryOf(file.delivery, folder, variable),
  }
}

/**
 * Reads the text of a configuration file.
 * @throws ConfigError that names the file, the field and what it may be
 */
export function parseConfig(text: string, path: string): z.output<typeof configSchema> {
  let json: unknown
  try {
    // Editors on Windows begin a file with a byte order mark.
    json = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigError(`${path} is not JSON: ${reason}`, {
      next: 'Correct the file; config.example.json shows one.',
    })
  }
  const result = configSchema.safeParse(json)
  if (result.success) return result.data
  const issue = result.error.issues[0]!
  if (issue.code === 'unrecognized_keys') {
    const field = [...issue.path, issue.keys[0]!].join('.')
    throw new ConfigError(`${path}: there is no field "${field}".`, {
      next: unknownName(issue.keys[0]!, fieldsAt(issue.path)),
    })
  }
  const message = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message
  throw new ConfigError(`${path}: ${issue.path.join('.') || 'the file'}: ${message}.`, {
    next: 'Correct that field; config.example.json shows every field.',
  })
}

/** Where the address and the key of a service come from: an account, or a configuration of one account. */
type Service = Partial<Pick<Account, 'name' | 'baseUrl' | 'appKey' | 'appKeyFile' | 'appKeyEnv'>>

/**
 * Address and key of an account, or what to do to have them. The file of the key is read only here: reports need no key.
 * @throws ConfigError
 */
export function requireService(account: Service): { baseUrl: string; appKey: string } {
  const { name, baseUrl, appKeyFile, appKeyEnv } = account
  const whose = name === undefined ? '' : ` of the account "${name}"`
  if (!baseUrl) {
    throw new ConfigError(`The address of the service${whose} is not known.`, {
      next: 'Set `baseUrl` in config.json or FAULTLINE_BASE_URL; `faultline demo` needs neither.',
    })
  }
  const appKey = account.appKey ?? (appKeyFile && readKey(appKeyFile, name))
  if (!appKey) {
    const variable = appKeyEnv ?? 'FAULTLINE_APP_KEY'
    throw new ConfigError(`There is no app key${whose}.`, {
      next: `Set ${variable}, or name a file that holds it as \`appKeyFile\`${name === undefined ? '' : ' of the account'} in config.json.`,
    })
  }
  return { baseUrl, appKey }
}

/**
 * The one account that is chosen, or the only one.
 * @throws ConfigError when there are several and none is chosen
 */
export function chooseAccount(config: Config, chosen: string | undefined): Account {
  const [first, ...others] = chooseAccounts(config, chosen)
  if (first && others.length === 0) return first
  throw new ConfigError('Several accounts are configured.', {
    next: `Say which with --account: ${config.accounts.map(({ name }) => name).join(', ')}.`,
  })
}

/**
 * The accounts chosen by their names or ids, separated by commas; all of them when nothing is chosen.
 * @throws ConfigError for one that is not configured
 */
export function chooseAccounts({ accounts }: Config, chosen: string | undefined): readonly Account[] {
  if (chosen === undefined) return accounts
  const names = accounts.flatMap(({ name }) => name ?? [])
  if (names.length === 0) {
    throw new ConfigError('--account: no accounts are configured.', {
      next: 'List them as `accounts` in config.json, or leave the option out.',
    })
  }
  const wanted = chosen.split(',').map((one) => one.trim())
  const matches = (account: Account, one: string) =>
    account.name?.toLowerCase() === one.toLowerCase() || String(account.accountId) === one
  for (const one of wanted) {
    if (accounts.some((account) => matches(account, one))) continue
    throw new ConfigError(`--account: there is no account "${one}".`, { next: unknownName(one, names) })
  }
  return accounts.filter((account) => wanted.some((one) => matches(account, one)))
}

/** The rules of privacy and their salt, or what to do to have it. The file of the salt is read only here. */
export function requirePrivacy({ privacy, salt }: Config): PrivacyRules {
  return privacyRules(privacy, privacy.saltFile, salt)
}

function readKey(path: string, account: string | undefined): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (cause) {
    throw new ConfigError(`The app key cannot be read from ${path}.`, {
      cause,
      next: `Write the key into that file${account === undefined ? ', or set FAULTLINE_APP_KEY, which goes before it' : ''}.`,
    })
  }
}

/** The fields of the object that lies at a path of the configuration; none when there is no object. */
function fieldsAt(path: readonly PropertyKey[]): string[] {
  let level: unknown = configSchema
  for (const step of path) {
    const inside = bare(level)
    if (inside instanceof z.ZodObject) level = inside.shape[String(step)]
    else if (inside instanceof z.ZodArray) level = inside.element
    else if (inside instanceof z.ZodRecord) level = inside.valueType
    else return []
  }
  const object = bare(level)
  return object instanceof z.ZodObject ? Object.keys(object.shape).filter((field) => field !== '$schema') : []
}

/** A schema without its defaults and without being optional. */
function bare(schema: unknown): unknown {
  const isWrapped =
    schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault
  return isWrapped ? bare(schema.unwrap()) : schema
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new ConfigError(`${path} cannot be read.`, { cause, next: 'Check the path and its permissions.' })
  }
}
