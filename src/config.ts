import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { SAFE_LIST_WINDOW_S } from './contract/assumptions.ts'
import { ConfigError } from './errors.ts'
import { unknownName } from './suggest.ts'
import { isZone } from './zone.ts'

/** The configuration file. A field that is not here is a mistake, and says so. */
export const configSchema = z.strictObject({
  $schema: z.string().optional(),
  /** Address of the service. */
  baseUrl: z
    .url({ protocol: /^https?$/, error: 'expected an address that begins with http:// or https://' })
    .optional(),
  /** A file that holds nothing but the app key. The key itself never stands in the configuration. */
  appKeyFile: z.string().min(1).optional(),
  /** The DuckDB file for readers; the sync keeps its own beside it. */
  warehouse: z.string().min(1).default('faultline.duckdb'),
  /** Where reports are written. */
  out: z.string().min(1).default('out'),
  /** Folder of reports of your own, besides those that come with Faultline. */
  reports: z.string().min(1).optional(),
  /** Resources to sync; all of them when left out. */
  resources: z.array(z.string()).min(1).optional(),
  sync: z
    .strictObject({
      /** Oldest incidents wanted: a date, or an age such as 365d. */
      since: z.string().min(1).default('365d'),
      /** Days read again every run, because incidents change after they began. */
      lookbackDays: z.number().min(0).max(366).default(31),
      /** Longest window to ask for; the service refuses more than 31 days. */
      windowDays: z
        .number()
        .min(1 / 24, 'a window is an hour long at least')
        .max(31, 'the service takes windows of 31 days at most')
        .default(31)
        .transform((days) => Math.min(days * 86_400, SAFE_LIST_WINDOW_S)),
      /** Share of the account's rate limits to use: people on call use them too. */
      quota: z.number().positive().max(1).default(1),
      /** Windows read side by side. */
      concurrency: z.number().int().min(1).max(50).default(8),
      /** Memory DuckDB may use. */
      memoryLimit: z
        .string()
        .regex(/^\d+(\.\d+)?\s*(KB|MB|GB|TB|KiB|MiB|GiB|TiB)$/i, 'expected a size such as 512MB')
        .default('256MB'),
    })
    .prefault({}),
  /** Zone of reports that name none. */
  timezone: z.string().refine(isZone, 'expected an IANA time zone name, such as Europe/Berlin').optional(),
})

/** The configuration as it is used: defaults filled in, paths absolute. */
export type Config = Omit<z.output<typeof configSchema>, '$schema'> & {
  /** From the environment. Commands that talk to the service take the key from `requireService`. */
  readonly appKey: string | undefined
}

/** What the command line says; it goes before the environment, and that before the file. */
export interface Overrides {
  readonly config?: string | undefined
  readonly warehouse?: string | undefined
  readonly baseUrl?: string | undefined
}

/** The only place that reads the environment. */
export function loadConfig(overrides: Overrides = {}, environment = process.env): Config {
  // Set to nothing is not set: compose files and CI write variables that way. Blanks are never meant.
  const variable = (name: string) => environment[name]?.trim() || undefined
  const named = overrides.config ?? variable('FAULTLINE_CONFIG')
  const path = resolve(named ?? 'config.json')
  const file =
    named !== undefined || existsSync(path) ? parseConfig(readText(path), path) : configSchema.parse({})
  const folder = dirname(path)
  const { $schema: _, ...rest } = file
  return {
    ...rest,
    baseUrl: overrides.baseUrl ?? variable('FAULTLINE_BASE_URL') ?? file.baseUrl,
    warehouse: resolve(
      overrides.warehouse ?? variable('FAULTLINE_WAREHOUSE') ?? resolve(folder, file.warehouse),
    ),
    out: resolve(folder, file.out),
    reports: file.reports === undefined ? undefined : resolve(folder, file.reports),
    appKeyFile: file.appKeyFile === undefined ? undefined : resolve(folder, file.appKeyFile),
    appKey: variable('FAULTLINE_APP_KEY'),
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
  throw new ConfigError(`${path}: ${issue.path.join('.') || 'the file'}: ${issue.message}.`, {
    next: 'Correct that field; config.example.json shows every field.',
  })
}

/** Address and key, or what to do to have them. The file of the key is read only here: reports need no key. */
export function requireService(config: Config): { baseUrl: string; appKey: string } {
  if (!config.baseUrl) {
    throw new ConfigError('The address of the service is not known.', {
      next: 'Set `baseUrl` in config.json or FAULTLINE_BASE_URL; `faultline demo` needs neither.',
    })
  }
  const appKey = config.appKey ?? (config.appKeyFile && readKey(config.appKeyFile))
  if (!appKey) {
    throw new ConfigError('There is no app key.', {
      next: 'Set FAULTLINE_APP_KEY, or name a file that holds it as `appKeyFile` in config.json.',
    })
  }
  return { baseUrl: config.baseUrl, appKey }
}

function readKey(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (cause) {
    throw new ConfigError(`The app key cannot be read from ${path}.`, {
      cause,
      next: 'Write the key into that file, or set FAULTLINE_APP_KEY, which goes before it.',
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
