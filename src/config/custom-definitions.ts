import { z } from 'zod'
import type { Dimension, Exclusion } from '../settings/settings.ts'

const text = z.string().trim().min(1)
const words = text.regex(/^\P{Cc}*$/u, 'expected a text without line breaks')

/** Names that a dimension cannot have. They are options of `faultline report` or columns of scoped_incidents. */
const TAKEN = new Set(
  `
  account account_id accounts ack_time acknowledged again age_s alert_cnt alert_event_cnt all as_of_at band channel
  channel_id channel_name close_lag_s close_state close_time close_type closed_at closer_id config corrected counted_at
  created_at day dedup_key deliver detection_lag_s dimensions due end_time format handled_by_people hands_on_s help hour
  incident_id incident_severity insecure integration integration_id integration_type is_acknowledged is_closed_before_ack
  is_conflict is_handled_by_people is_muted is_negative_ack is_negative_close is_negative_recover is_open is_self_healed
  jobs json judged measures moments month muted num open_measures out pages period post_mortem_id progress recover
  self_healed severity start_time started_local survival_s team team_id team_name teams time_to_ack_s time_to_close_s
  time_to_recover_s time_to_resolve_s timezone total tta ttr ttr_all verbose warehouse watch week weekday
`.split(/\s+/),
)

const dimensionName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,30}$/, 'expected a name of lower-case letters, digits and _, such as service')
  .refine((name) => !TAKEN.has(name), { error: 'this name is reserved; choose another' })

export const excludeSchema = z
  .array(
    z.strictObject({
      name: words.max(60).describe('Display name: `test channels`.'),
      where: text.describe("A condition: `channel_name in ('Soaking') or label.env = 'test'`."),
      reason: words.optional().describe('Reason for the exclusion, shown in reports.'),
    }),
  )
  .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, {
    error: 'duplicate name',
  })
  .default([])
  .describe(
    'Incidents to exclude from all figures. Every report shows how many. See src/config/custom-definitions.md.',
  )

export const dimensionsSchema = z
  .record(dimensionName, text)
  .default({})
  .describe(
    'Additional dimensions for grouping and filtering: `{"service": "label.service"}`. The source is a label, a custom field or an expression.',
  )

export const pagesSchema = z
  .array(dimensionName)
  .default([])
  .describe(
    'Dimensions with separate reports for each value, in folders such as `out/service/`. For a single run, use `faultline report --pages service`.',
  )

/** Returns the location of a value in the configuration, such as `config.json:7`, for messages. */
export type PlaceOf = (path: readonly PropertyKey[]) => string

/** Converts exclusions and dimensions to rows of `Settings`. The code in `definitions/` checks their conditions. */
export function parseCustomDefinitions(
  { exclude, dimensions }: { exclude: z.output<typeof excludeSchema>; dimensions: Record<string, string> },
  placeOf: PlaceOf,
): { exclusions: Exclusion[]; dimensions: Dimension[] } {
  return {
    exclusions: exclude.map(({ name, where, reason = null }, index) => ({
      name,
      where,
      reason,
      at: placeOf(['reporting', 'exclude', index, 'where']),
    })),
    dimensions: Object.entries(dimensions).map(([name, source]) => ({
      name,
      source,
      at: placeOf(['reporting', 'dimensions', name]),
    })),
  }
}
