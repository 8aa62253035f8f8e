import { z } from 'zod'
import { duplicates, refuse } from '../settings/config-fields.ts'
import type { Settings } from '../settings/settings.ts'

const text = z
  .string()
  .trim()
  .min(1, 'expected a name')
  // Charts and sentences show the name on one line.
  .max(60, 'expected a name of up to 60 characters')
  .regex(/^\P{Cc}*$/u, 'expected a name without line breaks or other control characters')

export const eventsSchema = z
  .array(
    z.strictObject({
      date: z.iso
        .date('expected a day such as 2026-03-14')
        .describe('Day of the event, in `timezone`. Weeks before and after are counted from this day.'),
      name: text.describe('Name on charts and in `faultline compare --event`.'),
      teams: z
        .array(text)
        .min(1, 'expected the affected teams; remove `teams` to affect all')
        .optional()
        .describe('Affected teams. Default: all. The other teams are the control group.'),
    }),
  )
  .superRefine((events, context) => {
    for (const index of duplicates(events))
      refuse(context, `duplicate event name "${events[index]!.name}"`, [index, 'name'])
  })
  .default([])
  .describe(
    'Events such as a deploy or a new rota. Charts over time mark them with a line, and `faultline compare` shows what changed after them.',
  )

/** Converts events to rows of `config_events`. @param timezone time zone of the event dates */
export function eventRows(events: z.output<typeof eventsSchema>, timezone: string): Settings['events'] {
  return events.map(({ name, date, teams = null }) => ({ name, day: date, timezone, team_names: teams }))
}
