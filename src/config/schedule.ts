import { z } from 'zod'
import { ConfigError } from '../errors.ts'
import { optionalText } from '../settings/config-fields.ts'
import { parseCron } from '../settings/cron.ts'
import { zone } from '../settings/zone.ts'

export const cron = z.string().superRefine((text, context) => {
  if (!/^\s*(@\w+|(\S+\s+){4,5}\S+)\s*$/.test(text)) {
    const message = 'expected a cron expression of five fields, such as "30 2 * * *" for 02:30 every day'
    context.addIssue({ code: 'custom', message })
    return
  }
  try {
    parseCron(text, 'UTC', '')
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const message = error.message.replace(/^: /, '').replace(/\.$/, '')
    context.addIssue({ code: 'custom', message, params: { next: error.next } })
  }
})

/** Times of syncs and reports. `faultline start` reads these times once, so changes need a restart. */
export const scheduleSchema = z
  .strictObject({
    sync: cron.default('30 2 * * *').describe('Cron expression of syncs. Default: every night at 02:30.'),
    timezone: zone
      .optional()
      .describe(
        'Time zone of these times, and of reports that do not set one. Default: `timezone` of the configuration.',
      ),
    reports: z
      .record(z.string(), z.union([cron, z.literal(false)]))
      .default({})
      .describe(
        'Times of reports, which override the `schedule` in their files. With false, a report does not run.',
      ),
    catchUp: z
      .boolean()
      .default(true)
      .describe(
        'Makes up for runs that were missed while the process was down, with a single run at the start.',
      ),
    retention: z
      .strictObject({
        days: z
          .number()
          .positive()
          .optional()
          .describe('Number of days to keep export folders and reports of earlier periods.'),
        runs: z
          .number()
          .int()
          .min(1)
          .optional()
          .describe('Number of outputs to keep for each report and for exports. The newest is always kept.'),
      })
      .prefault({})
      .describe('Retention of earlier outputs. Default: keep everything. The warehouse is not affected.'),
    healthFile: optionalText('File for the state of the schedule. Default: next to the warehouse.'),
  })
  .prefault({})
