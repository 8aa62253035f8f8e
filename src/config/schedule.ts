import { z } from 'zod'
import { ConfigError } from '../errors.ts'
import { optionalText } from '../settings/config-fields.ts'
import { parseCron } from '../settings/cron.ts'
import { zone } from '../settings/zone.ts'

/** A cron expression of five fields. */
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

/** Times of syncs and reports. `faultline start` reads them once, so changes need a restart. */
export const scheduleSchema = z
  .strictObject({
    sync: cron.default('30 2 * * *').describe('When to sync, as a cron expression: every night at 02:30.'),
    timezone: zone
      .optional()
      .describe("Zone of these times, and of reports that name none; the configuration's unless given."),
    reports: z
      .record(z.string(), z.union([cron, z.literal(false)]))
      .default({})
      .describe('Times of reports that go before the `schedule` in their files; false: not at all.'),
    catchUp: z
      .boolean()
      .default(true)
      .describe('Catch up at the start, once, what came due while the process was down.'),
    retention: z
      .strictObject({
        days: z
          .number()
          .positive()
          .optional()
          .describe('Days that pages of earlier periods and folders of exports are kept.'),
        runs: z
          .number()
          .int()
          .min(1)
          .optional()
          .describe('How many of them are kept, of each report and of exports; the newest always.'),
      })
      .prefault({})
      .describe('What is kept of earlier outputs; everything unless given. The warehouse is never touched.'),
    healthFile: optionalText(
      'Where the state of the schedule is written; beside the warehouse unless given.',
    ),
  })
  .prefault({})
