import { z } from 'zod'
import type { Settings } from '../settings/settings.ts'

const text = z
  .string()
  .trim()
  .min(1, 'expected a name')
  // Charts and sentences show the name on one line.
  .max(60, 'expected a name of up to 60 characters')
  .regex(/^\P{Cc}*$/u, 'expected a name without line breaks or other control characters')

/** Events such as a new rota. Names are unique. */
export const eventsSchema = z
  .array(
    z.strictObject({
      date: z.iso
        .date('expected a day such as 2026-03-14')
        .describe('Its day, in the zone of `timezone`; its weeks are counted from there.'),
      name: text.describe('What it is called on charts and by `faultline compare --event`.'),
      teams: z
        .array(text)
        .min(1, 'expected the teams that it touched; leave `teams` out for all')
        .optional()
        .describe('Teams that it touched; all unless given. The others are what it is held against.'),
    }),
  )
  .superRefine((events, context) => {
    for (const [index, { name }] of events.entries()) {
      const first = events.findIndex((other) => other.name.toLowerCase() === name.toLowerCase())
      if (first < index)
        context.addIssue({
          code: 'custom',
          path: [index, 'name'],
          message: `two events are called "${name}"`,
        })
    }
  })
  .default([])
  .describe(
    'What happened, such as a deploy or a new rota: a line on every chart over time, and what changed since, by `faultline compare`.',
  )

/** Converts events to rows of `config_events`, with their days in a time zone. */
export function eventRows(events: z.output<typeof eventsSchema>, timezone: string): Settings['events'] {
  return events.map(({ name, date, teams = null }) => ({ name, day: date, timezone, team_names: teams }))
}
