import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import type { z } from 'zod'
import { ConfigError, closestMatch, unknownName } from '../errors.ts'
import { isSentInClear } from '../settings/loopback.ts'
import { type ObjectStore, storeOf } from '../settings/object-store.ts'
import { pathFrom, readSecret, unreadable } from '../settings/secret-file.ts'
import type { Settings } from '../settings/settings.ts'
import { healthFileOf, parseLocation, type WarehouseLocation } from '../settings/warehouse-location.ts'
import { type Account, accountsOf } from './accounts-section.ts'
import { configSchema, readConfig } from './config-file.ts'
import { readCorrections } from './corrections-file.ts'
import { type DeliverySettings, deliveryOf } from './delivery.ts'
import { type PrivacyRules, privacyRules } from './privacy-section.ts'
import { settingsOf } from './reporting.ts'

/** The configuration, with defaults and absolute paths. */
export type Config = Omit<z.output<typeof configSchema>, '$schema' | 'accounts' | 'warehouse' | 'lake'> & {
  /** The key from the environment. `requireService` also reads the key from its file. */
  readonly appKey: string | undefined
  /** The accounts of the configuration, or a single account without a name. */
  readonly accounts: readonly Account[]
  /** The salt from the environment. `requirePrivacy` also reads the salt from its file. */
  readonly salt: string | undefined
  readonly settings: Settings
  readonly warehouse: WarehouseLocation
  readonly store: ObjectStore | undefined
  readonly delivery: DeliverySettings
  readonly schedule: { readonly healthFile: string }
}

/** Command-line options. An option overrides the environment, which overrides the configuration file. */
export interface Overrides {
  readonly config?: string | undefined
  readonly warehouse?: string | undefined
  readonly baseUrl?: string | undefined
  /** Allows sending the key unencrypted to another machine. */
  readonly insecure?: boolean | undefined
}

const NAMES = ['config.json', 'config.jsonc', 'config.yaml', 'config.yml']

/** Returns the absolute path of the configuration file, which might not exist. @throws ConfigError if several exist */
export function configPath(overrides: Overrides = {}, environment = process.env): string {
  const named = overrides.config ?? environment.FAULTLINE_CONFIG?.trim()
  if (named) return resolve(named)
  const [first = 'config.json', ...others] = NAMES.filter((name) => existsSync(name))
  if (others.length === 0) return resolve(first)
  throw new ConfigError(`Several configuration files exist: ${[first, ...others].join(', ')}.`, {
    next: `Keep one, or select it: --config ${first}`,
  })
}

/**
 * Adds the path of the configuration file, so that `loadConfig` fails if the file is deleted later. Without the path,
 * `loadConfig` would use defaults, which have no privacy rules.
 */
export function foundConfig(overrides: Overrides): Overrides {
  const path = configPath(overrides)
  return existsSync(path) ? { ...overrides, config: path } : overrides
}

/** Variables that can be set in the environment or in `.env`, and the fields that they override. */
export const VARIABLES: Readonly<Record<string, { readonly field: string; readonly isSecret: boolean }>> = {
  FAULTLINE_BASE_URL: { field: 'baseUrl', isSecret: false },
  FAULTLINE_WAREHOUSE: { field: 'warehouse', isSecret: false },
  FAULTLINE_APP_KEY: { field: 'appKey', isSecret: true },
  FAULTLINE_LAKE_PASSWORD: { field: 'lake.password', isSecret: true },
  FAULTLINE_S3_SECRET: { field: 'lake.s3.secret', isSecret: true },
  FAULTLINE_PRIVACY_SALT: { field: 'privacy.salt', isSecret: true },
  FAULTLINE_SMTP_PASSWORD: { field: 'delivery.mail.password', isSecret: true },
  FAULTLINE_WEBHOOK_URL: { field: 'delivery.webhook.url', isSecret: true },
  FAULTLINE_WEBHOOK_SECRET: { field: 'delivery.webhook.secret', isSecret: true },
}
const KNOWN_VARIABLES = ['FAULTLINE_CONFIG', ...Object.keys(VARIABLES)]

export interface Sources {
  readonly path: string
  readonly file: ReturnType<typeof readConfig> | undefined
  /** Returns the value of a variable from the environment or `.env`, and where it is set. Undefined if it is empty. */
  variable(name: string): { readonly value: string; readonly from: string } | undefined
}

/** Reads the configuration file, the environment and `.env`. @throws ConfigError */
export function readSources(overrides: Overrides = {}, environment = process.env): Sources {
  const path = configPath(overrides, environment)
  const isNamed = Boolean(overrides.config ?? environment.FAULTLINE_CONFIG?.trim())
  const beside = join(dirname(path), '.env')
  const dotenv = existsSync(beside) ? parseEnv(readText(beside)) : {}
  for (const name of Object.keys(dotenv)) {
    if (!/^(export\s+)?FAULTLINE/.test(name) || KNOWN_VARIABLES.includes(name)) continue
    throw new ConfigError(`${beside}: unknown variable "${name}".`, {
      next: unknownName(name, KNOWN_VARIABLES),
    })
  }
  return {
    path,
    file: isNamed || existsSync(path) ? readConfig(readText(path), path) : undefined,
    variable: (name) => {
      const own = environment[name]?.trim()
      const value = own || dotenv[name]?.trim()
      return value ? { value, from: own ? name : `${name} in ${basename(beside)}` } : undefined
    },
  }
}

/** Loads the configuration. @throws ConfigError */
export function loadConfig(overrides: Overrides = {}, environment = process.env): Config {
  const sources = readSources(overrides, environment)
  const variable = (name: string) => sources.variable(name)?.value
  const file = sources.file?.data ?? configSchema.parse({})
  const folder = dirname(sources.path)
  const { $schema: _, accounts, lake, ...rest } = file
  const { quota, since } = file.sync
  const warehouse = overrides.warehouse ?? variable('FAULTLINE_WAREHOUSE')
  const seenFrom = warehouse === undefined ? folder : process.cwd()
  const place = parseLocation(warehouse ?? file.warehouse, { fields: () => lake, folder, variable, seenFrom })
  const common = {
    baseUrl: overrides.baseUrl ?? variable('FAULTLINE_BASE_URL') ?? file.baseUrl,
    appKeyFile: pathFrom(folder, file.appKeyFile),
    appKey: variable('FAULTLINE_APP_KEY'),
    accountId: file.accountId,
    insecure: overrides.insecure,
  }
  const corrections = pathFrom(folder, file.reporting.corrections)
  return {
    ...rest,
    ...common,
    accounts: accountsOf(accounts, { ...common, quota, since }, folder, variable),
    warehouse: place,
    store: storeOf(lake, folder, variable),
    out: resolve(folder, file.out),
    reports: pathFrom(folder, file.reports),
    salt: variable('FAULTLINE_PRIVACY_SALT'),
    privacy: { ...file.privacy, saltFile: pathFrom(folder, file.privacy.saltFile) },
    sql: pathFrom(folder, file.sql),
    settings: settingsOf(file.reporting, {
      folder: pathFrom(folder, file.sql),
      isPublished: file.publishSql,
      timezone: file.timezone,
      corrections: corrections === undefined ? [] : readCorrections(corrections),
      placeOf: (path) => `${sources.path}:${sources.file?.lineOf(path) ?? 1}`,
    }),
    schedule: { ...file.schedule, healthFile: healthFileOf(file.schedule, folder, place) },
    delivery: deliveryOf(file.delivery, folder, variable),
  }
}

type Service = Partial<Pick<Account, 'name' | 'baseUrl' | 'appKey' | 'appKeyFile' | 'appKeyEnv' | 'insecure'>>

/** Returns the address of the service, and the app key from the environment or a file. @throws ConfigError */
export function requireService(account: Service): { baseUrl: string; appKey: string; insecure: boolean } {
  const { name, baseUrl, appKeyFile, appKeyEnv } = account
  const whose = name === undefined ? '' : ` of the account "${name}"`
  if (!baseUrl) {
    throw new ConfigError(`The address of the service${whose} is missing.`, {
      field: 'baseUrl',
      next: 'Run `faultline init`, or set `baseUrl` in config.json or FAULTLINE_BASE_URL. `faultline demo` does not need one.',
    })
  }
  if (isSentInClear(baseUrl) && account.insecure !== true) {
    throw new ConfigError(
      `The address of the service${whose} begins with http://, but every request contains the app key.`,
      {
        field: 'baseUrl',
        next: 'Use https://. If you trust the network, add --insecure.',
      },
    )
  }
  const orSet = name === undefined ? ', or set FAULTLINE_APP_KEY, which overrides it' : ''
  const next = `Write the key to this file${orSet}.`
  const appKey = account.appKey ?? (appKeyFile && readSecret(appKeyFile, 'The app key', next))
  if (!appKey) {
    const variable = appKeyEnv ?? 'FAULTLINE_APP_KEY'
    const near = Object.keys(process.env).find(
      (one) => !KNOWN_VARIABLES.includes(one) && one !== variable && closestMatch(one, [variable]),
    )
    throw new ConfigError(`The app key${whose} is missing.`, {
      next: near
        ? `${near} is set. Did you mean ${variable}?`
        : `Set ${variable}, or write the key to a file and set \`appKeyFile\`${name === undefined ? '' : ' of the account'} in config.json.`,
    })
  }
  if (/^(".*"|'.*'|`.*`|“.*”)$/.test(appKey)) {
    throw new ConfigError(`The app key${whose} is in quotation marks.`, {
      next: 'Remove them. A shell strips quotation marks, but a key file or `docker --env-file` does not.',
    })
  }
  return { baseUrl, appKey, insecure: account.insecure === true }
}

/** Returns the chosen account. @throws ConfigError if none is chosen and several are configured */
export function chooseAccount(config: Config, chosen: string | undefined): Account {
  const [first, ...others] = chooseAccounts(config, chosen)
  if (first && others.length === 0) return first
  throw new ConfigError('Several accounts are configured.', {
    next: `Choose one with --account: ${config.accounts.map(({ name }) => name).join(', ')}.`,
  })
}

/** Returns the accounts that `chosen` lists by name or id, separated by commas (default: all). @throws ConfigError */
export function chooseAccounts({ accounts }: Config, chosen: string | undefined): readonly Account[] {
  if (chosen === undefined) return accounts
  const names = accounts.flatMap(({ name }) => name ?? [])
  if (names.length === 0) {
    throw new ConfigError('--account: no accounts are configured.', {
      next: 'Define `accounts` in config.json, or remove the option.',
    })
  }
  const wanted = chosen.split(',').map((one) => one.trim())
  const matches = (account: Account, one: string) =>
    account.name?.toLowerCase() === one.toLowerCase() || String(account.accountId) === one
  for (const one of wanted) {
    if (accounts.some((account) => matches(account, one))) continue
    throw new ConfigError(`--account: unknown account "${one}".`, { next: unknownName(one, names) })
  }
  return accounts.filter((account) => wanted.some((one) => matches(account, one)))
}

/** Returns the privacy rules, with the salt from the environment or a file. @throws ConfigError */
export function requirePrivacy({ privacy, salt }: Config): PrivacyRules {
  return privacyRules(privacy, privacy.saltFile, salt)
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new ConfigError(`${path} cannot be read.`, { cause, next: unreadable(path, cause) })
  }
}
