import { dirname } from 'node:path'
import { z } from 'zod'
import { SAFE_LIST_WINDOW_S } from '../contract/assumptions.ts'
import { ConfigError } from '../errors.ts'
import { optionalText, serviceUrl, share, size, text, yesOrNo } from '../settings/config-fields.ts'
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

/**
 * The configuration file. Unknown fields are errors. Editors show the descriptions, from the schema that `faultline init`
 * writes beside the file.
 */
export const configSchema = z.strictObject({
  $schema: z.string().optional().describe('JSON Schema of this file, for editors.'),
  baseUrl: serviceUrl.optional().describe('Address of the service.'),
  appKeyFile: optionalText(
    'File that holds only the app key, which is never in the configuration itself; FAULTLINE_APP_KEY overrides it.',
  ),
  accountId: accountId
    .optional()
    .describe(
      'Id of the account, for a service that does not send it; otherwise checked against what it sends.',
    ),
  accounts: accountsSchema
    .optional()
    .describe(
      'Several accounts in one warehouse, each with its own key; other fields default to those above.',
    ),
  warehouse: text
    .default('faultline.duckdb')
    .describe(
      'The DuckDB file for readers; the sync keeps its working file beside it. Or a lake: ducklake:postgres:host=… dbname=…',
    ),
  lake: lakeSchema.describe('Where `warehouse` is a lake, which many machines write and read.'),
  out: text.default('out').describe('Where reports are written.'),
  reports: optionalText('Folder of your own reports, besides the included ones.'),
  sql: optionalText('Folder of views and metrics of your own, in SQL, besides the included ones.'),
  publishSql: yesOrNo
    .default(false)
    .describe('Makes those of `sql` part of the published file, for everybody who opens it.'),
  resources: z.array(z.string()).min(1).optional().describe('Resources to sync; default: all.'),
  sync: z
    .strictObject({
      since: moment.default('365d').describe('Oldest incidents to read: a date, or an age such as 365d.'),
      lookbackDays: z
        .number()
        .min(0)
        .max(366)
        .default(31)
        .describe('Days before the last complete sync that are read again, because incidents change late.'),
      windowDays: z
        .number()
        .min(1 / 24, 'a window is at least an hour')
        .max(31, 'the service allows at most 31 days')
        .default(31)
        .transform((days) => Math.min(days * 86_400, SAFE_LIST_WINDOW_S))
        .describe('Longest window of a request; the service allows at most 31 days.'),
      quota: share
        .default(1)
        .describe("Share of the account's rate limits to use: people on call use them too."),
      concurrency: z
        .number()
        .int()
        .min(1)
        .max(50)
        .optional()
        .describe('Windows read in parallel; default: 8 to 32, by the latency of the service.'),
      jobs: z
        .number()
        .int()
        .min(1)
        .max(64)
        .optional()
        .describe('Accounts read side by side; default: by cores and memory.'),
      memoryLimit: size
        .default('256MB')
        .describe(
          'Memory DuckDB may use for each account that is read, and for `status`, `export`, `copy`, `quarantine`, `account remove` and the metrics of `start` and `work`.',
        ),
    })
    .prefault({})
    .describe('How incidents are read.'),
  timezone: zone
    .optional()
    .describe('Default time zone of reports, and of dates such as `sync.since`; UTC unless given.'),
  reporting: reportingSchema.describe('How figures are counted: targets, hours, policies, thresholds.'),
  privacy: privacySchema.describe('Columns to drop or hash before anything is stored.'),
  schedule: scheduleSchema.describe('When `faultline start` syncs and makes reports.'),
  delivery: deliverySchema.describe('Where reports are delivered.'),
})

/** The fields of the file as written. */
export type ConfigFields = z.input<typeof configSchema>

/** The fields of the configuration as a JSON Schema, for editors: what may be written, not what it becomes. */
export function configJsonSchema(): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(configSchema, { io: 'input' })
  return { $schema, title: 'Configuration of Faultline', ...rest }
}

/** What people call the app key. */
const KEY_NAMES = /^(app|api)?[_-]?(key|token)$/i
const NO_KEY_HERE =
  'The app key is never in this file: set FAULTLINE_APP_KEY, or write it into a file of its own and name that as `appKeyFile`.'

/**
 * Parses and validates the text of a configuration file: JSON, with comments where wanted, or YAML; beside it the fields as they
 * are written and the lines they stand on.
 * @throws ConfigError that names every mistake with its line and what may stand there
 */
export function readConfig(text: string, path: string) {
  const { data, written, lineOf, mistakes } = readYaml(text, configSchema)
  // Cut off while it was written, it would undo all that it said, its rules of privacy too.
  if (written === null)
    throw new ConfigError(`${path} holds nothing.`, {
      next: 'Write {} where all defaults are meant, or take the file away.',
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
  throw new ConfigError([`There are ${lines.length} mistakes in the configuration.`, ...lines].join('\n'), {
    next: `Correct them. ${example}`,
  })
}
