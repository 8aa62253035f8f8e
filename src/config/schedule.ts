import { z } from 'zod'
import { ConfigError } from '../errors.ts'
import { flag, optionalText, refuse } from '../settings/config-fields.ts'
import { parseCron } from '../settings/cron.ts'
import { zone } from '../settings/zone.ts'

export const cron = z.string().superRefine((text, context) => {
  if (!/^\s*(@\w+|(\S+\s+){4,5}\S+)\s*$/.test(text)) {
    refuse(context, 'expected a cron expression of five fields, such as "30 2 * * *" for 02:30 every day')
    return
  }
  try {
    parseCron(text, 'UTC', '')
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    refuse(context, error.message.replace(/^: |\.$/g, ''), [], error.next)
  }
})

/** Schema of the section `schedule`: times of syncs and reports. `faultline start` reads them once, when it starts. */
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
    catchUp: flag(
      true,
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
