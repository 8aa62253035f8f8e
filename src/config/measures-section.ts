import { z } from 'zod'
import { refuse, share } from '../settings/config-fields.ts'
import { duration } from '../settings/duration.ts'
import type { Measure } from '../settings/settings.ts'
import type { PlaceOf } from './custom-definitions.ts'
import { hoursName } from './working-hours.ts'

/** Columns of `incident_times` that can be the start or the end of a custom duration. */
export const MOMENTS = [
  ...(['start_time', 'created_at', 'ack_time', 'close_time', 'end_time'] as const),
  ...(['first_answer', 'first_post_mortem'] as const),
]

const EXPECTED = `expected ${MOMENTS.join(', ')}, or a custom field such as fields.mitigated_at`

const moment = z.string().superRefine((written, context) => {
  if ((MOMENTS as readonly string[]).includes(written) || /^fields\.[\w-]+$/.test(written)) return
  refuse(context, EXPECTED, [], `Unknown moment "${written}".`)
})

/** Names of built-in metrics, which a custom measure cannot have. */
const TAKEN = new Set(
  `
  bucket incidents serious_incidents incidents_at_night critical_share time_to_acknowledge time_to_resolve
  time_to_resolve_p90 time_to_close time_to_recover acknowledged unacknowledged acknowledged_in_time resolved_in_time
  outside_working_hours self_healed alerts_folded pages pages_at_night
`.split(/\s+/),
)

const measureName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,30}$/, 'expected a name of lower-case letters, digits and _, such as mitigate')

export const measuresSchema = z
  .record(
    measureName,
    z
      .strictObject({
        from: moment.describe(
          'Start: a moment such as start_time, or a custom field such as fields.detected_at.',
        ),
        to: moment.describe('End of the duration.'),
        title: z.string().trim().min(1).max(60).describe('Display name: `Time to mitigate`.'),
        workingHours: hoursName
          .optional()
          .describe('Name in `reporting.workingHours`. Only these hours count.'),
        target: duration.optional().describe('Target: the longest permitted duration.'),
        goal: share.optional().describe('Objective: share that should meet the target.'),
      })
      .superRefine(({ from, to, target, goal }, context) => {
        if (from === to) refuse(context, 'expected a moment other than `from`', ['to'])
        if (goal !== undefined && target === undefined) refuse(context, '`goal` requires `target`', ['goal'])
      }),
  )
  .superRefine((measures, context) => {
    for (const [name, { target }] of Object.entries(measures)) {
      const metrics = [name, ...(target === undefined ? [] : [`${name}_in_time`])]
      const taken = metrics.find((one) => TAKEN.has(one) || (one !== name && one in measures))
      if (taken === undefined) continue
      refuse(context, `"${taken}" is the name of an included metric`, [name], `Use own_${name} instead.`)
    }
  })
  .default({})
  .describe(
    'Custom durations, for reports as `{ metric: NAME }`: `{"mitigate": {"from": "start_time", "to": "fields.mitigated_at", "title": "Time to mitigate"}}`.',
  )

export function measuresOf(measures: z.output<typeof measuresSchema>, placeOf: PlaceOf): Measure[] {
  return Object.entries(measures).map(([name, { from, to, title, workingHours, target, goal }]) => ({
    name,
    title,
    from_moment: from,
    to_moment: to,
    working_hours: workingHours ?? null,
    target_s: target ?? null,
    goal: goal ?? null,
    at: placeOf(['reporting', 'measures', name]),
  }))
}
