import { dirname } from 'node:path'
import { z } from 'zod'
import { SAFE_LIST_WINDOW_S } from '../contract/assumptions.ts'
import { ConfigError } from '../errors.ts'
import { flag, optionalText, quota, serviceUrl, size, text } from '../settings/config-fields.ts'
import { lakeSchema } from '../settings/lake.ts'
import { unknownReports } from '../settings/report-names.ts'
import { pathFrom } from '../settings/secret-file.ts'
import { readYaml } from '../settings/yaml.ts'
import { zone } from '../settings/zone.ts'
import { accountId, accountsSchema } from './accounts-section.ts'
import { deliverySchema } from './delivery.ts'
import { moment } from './parse-timestamp.ts'
import { privacySchema } from './privacy-section.ts'
import { reportingSchema } from './reporting.ts'
import { scheduleSchema } from './schedule.ts'

/** Schema of the configuration file. `faultline init` writes it as a JSON Schema, so editors show its descriptions. */
export const configSchema = z.strictObject({
  $schema: z.string().optional().describe('JSON Schema of this file, for editors.'),
  baseUrl: serviceUrl.optional().describe('Address of the service.'),
  appKeyFile: optionalText(
    'File that contains only the app key, which must not be in the configuration itself. FAULTLINE_APP_KEY overrides it.',
  ),
  accountId,
  accounts: accountsSchema
    .optional()
    .describe(
      'Several accounts in one warehouse, each with its own key. Other fields default to the general settings.',
    ),
  warehouse: text
    .default('faultline.duckdb')
    .describe(
      'DuckDB file for readers. The sync keeps its working file next to it. Or a lake: ducklake:postgres:host=… dbname=…',
    ),
  lake: lakeSchema.describe(
    'Lake settings, if `warehouse` is a lake. Many machines can write and read a lake.',
  ),
  out: text.default('out').describe('Output folder of reports.'),
  reports: optionalText('Folder of custom reports, in addition to the included ones.'),
  sql: optionalText('Folder of custom SQL views and metrics, in addition to the included ones.'),
  publishSql: flag(
    false,
    'Also stores the definitions of `sql` in the published file, for everyone who opens it.',
  ),
  resources: z.array(z.string()).min(1).optional().describe('Resources to sync. Default: all.'),
  sync: z
    .strictObject({
      since: moment.default('365d').describe('Oldest incidents to sync: a date, or an age such as 365d.'),
      lookbackDays: z
        .number()
        .min(0)
        .max(366)
        .default(31)
        .describe(
          'Days before the last complete sync that are synced again, because incidents can change late.',
        ),
      windowDays: z
        .number()
        .min(1 / 24, 'expected a window of at least an hour')
        .max(31, 'the service allows at most 31 days')
        .default(31)
        .transform((days) => Math.min(days * 86_400, SAFE_LIST_WINDOW_S))
        .describe('Longest window of a request. The service allows at most 31 days.'),
      quota: quota
        .default(1)
        .describe("Share of the account's rate limits to use. People on call share these limits."),
      concurrency: z
        .int()
        .min(1)
        .max(50)
        .optional()
        .describe('Windows to read in parallel. Default: 8 to 32, depending on the latency of the service.'),
      jobs: z
        .int()
        .min(1)
        .max(64)
        .optional()
        .describe('Accounts to sync in parallel. Default: from cores and memory.'),
      memoryLimit: size
        .default('256MB')
        .describe(
          'Memory that DuckDB may use for each account in a sync, and for `status`, `export`, `copy`, `quarantine`, `account remove` and the metrics of `start` and `work`.',
        ),
    })
    .prefault({})
    .describe('Sync settings.'),
  timezone: zone
    .optional()
    .describe('Default time zone for reports, and for dates such as `sync.since`. Default: UTC.'),
  reporting: reportingSchema.describe('Settings for figures: targets, hours, policies, thresholds.'),
  privacy: privacySchema.describe('Columns to drop or hash before anything is stored.'),
  schedule: scheduleSchema.describe('Times at which `faultline start` runs syncs and reports.'),
  delivery: deliverySchema.describe('Delivery of reports.'),
})

/** Fields of the configuration file as a user writes them, before defaults are added. */
export type ConfigFields = z.input<typeof configSchema>

export function configJsonSchema(): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(configSchema, { io: 'input' })
  return { $schema, title: 'Configuration of Faultline', ...rest }
}

const KEY_NAMES = /^(app|api)?[_-]?(key|token)$/i
const NO_KEY_HERE =
  'The app key must not be in this file. Set FAULTLINE_APP_KEY, or write it to a separate file and set `appKeyFile`.'

/** Parses a configuration file. Also returns the fields as written and their lines. @throws ConfigError */
export function readConfig(text: string, path: string) {
  const { data, written, lineOf, mistakes } = readYaml(text, configSchema)
  // An empty file was probably truncated. Defaults would ignore the privacy rules that were lost.
  if (written === null)
    throw new ConfigError(`${path} is empty.`, {
      next: 'Write {} to use all defaults, or delete the file.',
    })
  const own = (written as { reports?: unknown } | undefined)?.reports
  const folder = typeof own === 'string' ? pathFrom(dirname(path), own) : undefined
  const unknown = unknownReports({ written, lineOf }, folder)
  if (data !== undefined && unknown.length === 0) return { data, written, lineOf }
  const all = [...mistakes, ...unknown]
    .toSorted((a, b) => a.line - b.line)
    .map(({ line, message, next, unknownKey }) => ({
      text: `${path}:${line}: ${message.replace(/\.?$/, '.')}`,
      next: unknownKey !== undefined && KEY_NAMES.test(unknownKey) ? NO_KEY_HERE : next,
    }))
  const example = '`faultline config schema` prints every field, and src/config/README.md explains them.'
  if (all.length === 1) throw new ConfigError(all[0]!.text, { next: all[0]!.next ?? example })
  const lines = all.map(({ text, next = '' }) => `${text} ${next}`.trimEnd())
  throw new ConfigError([`The configuration has ${lines.length} errors.`, ...lines].join('\n'), {
    next: `Correct them. ${example}`,
  })
}
