import { z } from 'zod'
import { unknownName } from '../errors.ts'
import { flag, optionalText, refuse, share, size } from '../settings/config-fields.ts'
import { duration } from '../settings/duration.ts'
import { type Correction, defaultSettings, type Settings } from '../settings/settings.ts'
import { zone } from '../settings/zone.ts'
import {
  dimensionsSchema,
  excludeSchema,
  type PlaceOf,
  pagesSchema,
  parseCustomDefinitions,
} from './custom-definitions.ts'
import { eventRows, eventsSchema } from './events-section.ts'
import { hoursSchema } from './hours.ts'
import { measuresOf, measuresSchema } from './measures-section.ts'
import { ownTargets, severityTargets, targetsSchema } from './targets-section.ts'
import { teamZonesSchema, workingHoursOf, workingHoursSchema } from './working-hours.ts'

const count = z.int().min(1)

const names = z.array(z.union([z.int().positive(), z.string().trim().min(1)])).default([])

type NumberLike = z.ZodType<number, number | string>

const defaultOf = (name: string): number | null =>
  defaultSettings.thresholds.find((each) => each.name === name)?.value ?? null

/** Schema of the limits at which a data-quality figure becomes a warning or an error. Null disables a limit. */
const bounds = (name: string, meaning: string, schema: NumberLike = share, unit = 'share') => {
  const bound = (level: string, words: string) =>
    schema
      .nullable()
      .default(defaultOf(`${name}_${level}_${unit}`))
      .describe(words)
  const warn = bound('warn', 'Shows a banner. Null: never.')
  const error = bound('error', 'Fails the report. Null: never.')
  return z.strictObject({ warn, error }).prefault({}).describe(meaning)
}

export const reportingSchema = z
  .strictObject({
    memoryLimit: size
      .default('512MB')
      .describe(
        'Memory that DuckDB may use for reports, `sql`, `check`, `compare`, `mcp` and `verify`. Larger data is spilled to disk.',
      ),
    timeout: duration.default(600).describe('Timeout of each report. The other reports still run.'),
    cohort: z
      .enum(['started', 'closed'])
      .default('started')
      .describe(
        'Incidents that belong to a period: those that started in it, or those that were closed in it.',
      ),
    ackPolicy: z
      .enum(['exclude', 'close_counts', 'first_action'])
      .optional()
      .describe(
        'Rule for the time to acknowledge, see the definition of MTTA. Default: `exclude`, or `first_action` (the first action of a person) if `automation` is set.',
      ),
    exclude: excludeSchema,
    dimensions: dimensionsSchema,
    pages: pagesSchema,
    targets: targetsSchema.describe('Targets by severity, and for teams and dimension values.'),
    teams: z
      .union([z.boolean(), z.array(z.string().min(1)).min(1)])
      .default(false)
      .describe(
        'Also writes each report for every team, or for the listed teams, to `out/teams/`. For a single run, use `faultline report --teams`.',
      ),
    hours: hoursSchema
      .prefault('office')
      .describe('Bands of working hours, sleep and other hours, in local time.'),
    automation: z
      .strictObject({
        members: names.describe('Members, by id or name.'),
        integrations: names.describe('Integrations, by id or type, whose alerts are resolved by automation.'),
      })
      .prefault({})
      .describe(
        'Members and integrations that are automation. The reliability review then shows what automation acknowledged, resolved and escalated to people.',
      ),
    measures: measuresSchema,
    corrections: optionalText(
      'CSV file of corrections, with the columns incident, field, value, who, why. Stored source data stays unchanged. See src/config/custom-definitions.md.',
    ),
    workingHours: workingHoursSchema,
    teamZones: teamZonesSchema,
    holidays: z
      .record(z.iso.date('expected a day such as 2026-12-25'), z.string())
      .default({})
      .describe('Days off: `{"2026-12-25": "Christmas Day"}`.'),
    zones: z
      .record(z.string().regex(/^\d{1,18}$/, 'expected the id of a member'), zone)
      .default({})
      .describe(
        'Time zone of a person, by member id: `{"1042": "Asia/Tokyo"}`. Default: the zone of the account.',
      ),
    onCall: z
      .record(z.string().min(1), z.number().positive('expected hours per week, such as 168'))
      .default({})
      .describe(
        'On-call hours per week, by team name: `{"Payments": 168}`. If two people are on call at the same time, count both. Reports then also show incidents per 1,000 on-call hours.',
      ),
    events: eventsSchema,
    hourlyCost: z
      .number()
      .positive('expected the cost of an hour of a person, such as 95')
      .optional()
      .describe(
        "Cost of one hour of a person's time, in your currency. The reliability review then shows the maximum cost of engaged hours.",
      ),
    lists: flag(
      true,
      'Writes a list of incidents for each number on a report page. With `false`, numbers are plain text.',
    ),
    thresholds: z
      .strictObject({
        p90MinN: count.default(defaultOf('p90_min_n')!).describe('Minimum number of values for a p90.'),
        intervalMinN: count
          .default(defaultOf('interval_min_n')!)
          .describe('Minimum number of values for the interval of a median.'),
        quickClose: duration
          .default(defaultOf('quick_close_s')!)
          .describe('An incident that is closed faster than this is a quick close.'),
        repeatWithin: duration
          .default(defaultOf('repeat_within_s')!)
          .describe('An incident of the same source within this time after a close is a repeat.'),
        overloadIncidents: count
          .default(defaultOf('overload_n')!)
          .describe('A person with more incidents than this within `overloadWithin` is overloaded.'),
        overloadWithin: duration
          .default(defaultOf('overload_within_s')!)
          .describe('See `overloadIncidents`.'),
        noiseIncidents: count
          .default(defaultOf('noise_min_n')!)
          .describe(
            'Minimum number of incidents of a noisy source. At least the share `noiseSelfHealed` of them must be self-healed.',
          ),
        noiseSelfHealed: share
          .default(defaultOf('noise_self_healed_share')!)
          .describe('Share of self-healed incidents, see `noiseIncidents`.'),
      })
      .prefault({})
      .describe('Thresholds for figures, quick closes, repeats, overload and noise.'),
    quality: z
      .strictObject({
        coverage: bounds(
          'coverage',
          'Share of the period that was synced. `warn` and `error` apply below their value.',
        ),
        age: bounds('age', 'Age of the data when a report runs.', duration, 's'),
        quarantined: bounds('quarantined', 'Quarantined records, as a share of all records read.'),
        conflicts: bounds('conflicts', 'Share of incidents whose times or progress contradict each other.'),
        unknownTeam: bounds('unknown_team', 'Share of incidents whose team is unknown.'),
      })
      .prefault({})
      .describe(
        'Data quality. Beyond `warn` the report shows a banner, beyond `error` it also fails (exit status 3).',
      ),
  })
  .superRefine(({ dimensions, targets, measures, workingHours }, context) => {
    const known = (names: object, name: string, what: string, path: PropertyKey[]) => {
      if (name in names) return
      const all = Object.keys(names)
      const next = all.length > 0 ? unknownName(name, all) : `Define it in \`reporting.${what}\` first.`
      refuse(context, `"${name}" is not defined in reporting.${what}`, path, next)
    }
    for (const name of Object.keys(targets.dimensions))
      known(dimensions, name, 'dimensions', ['targets', 'dimensions', name])
    for (const { name, path } of hoursIn({ targets, measures }, []))
      known(workingHours, name, 'workingHours', path)
  })
  .prefault({})

/** Returns every name of working hours that targets and measures refer to, with its path in the configuration. */
function hoursIn(value: object, path: readonly string[]): { name: string; path: string[] }[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    const here = [...path, key]
    if (typeof inner === 'object' && inner !== null) return hoursIn(inner, here)
    return /Hours$/.test(key) && typeof inner === 'string' ? [{ name: inner, path: here }] : []
  })
}

/** Converts the section `reporting` to settings. @param how values from other sections, and locations for messages */
export function settingsOf(
  reporting: z.output<typeof reportingSchema>,
  how: {
    folder?: string | undefined
    isPublished?: boolean
    timezone?: string | undefined
    corrections?: readonly Correction[]
    placeOf?: PlaceOf
  } = {},
): Settings {
  const { folder, isPublished = false, timezone = 'UTC', corrections = [] } = how
  const placeOf = how.placeOf ?? ((path) => path.join('.'))
  const { targets, thresholds, quality, hourlyCost } = reporting
  const automation = [
    ...reporting.automation.members.map((one) => ({ kind: 'member' as const, value: String(one) })),
    ...reporting.automation.integrations.map((one) => ({ kind: 'integration' as const, value: String(one) })),
  ]
  const ack = reporting.ackPolicy ?? (automation.length > 0 ? 'first_action' : 'exclude')
  return {
    ...(folder === undefined ? {} : { sql: { folder, isPublished } }),
    ...parseCustomDefinitions(reporting, placeOf),
    targets: severityTargets(targets),
    ownTargets: ownTargets(targets),
    ...workingHoursOf(reporting.workingHours, reporting.teamZones, timezone),
    automation,
    measures: measuresOf(reporting.measures, placeOf),
    corrections,
    bands: reporting.hours,
    holidays: Object.entries(reporting.holidays).map(([day, name]) => ({ day, name })),
    personZones: Object.entries(reporting.zones).map(([person_id, timezone]) => ({ person_id, timezone })),
    onCall: Object.entries(reporting.onCall).map(([team_name, hours]) => ({
      team_name,
      hours_per_week: hours,
    })),
    events: eventRows(reporting.events, timezone),
    policies: [
      { name: 'ack', value: ack },
      { name: 'cohort', value: reporting.cohort },
    ],
    thresholds: [
      { name: 'p90_min_n', value: thresholds.p90MinN },
      { name: 'interval_min_n', value: thresholds.intervalMinN },
      { name: 'quick_close_s', value: thresholds.quickClose },
      { name: 'repeat_within_s', value: thresholds.repeatWithin },
      { name: 'overload_n', value: thresholds.overloadIncidents },
      { name: 'overload_within_s', value: thresholds.overloadWithin },
      { name: 'noise_min_n', value: thresholds.noiseIncidents },
      { name: 'noise_self_healed_share', value: thresholds.noiseSelfHealed },
      ...(hourlyCost === undefined ? [] : [{ name: 'hourly_cost', value: hourlyCost }]),
      ...levels('coverage', quality.coverage, 'share'),
      ...levels('age', quality.age, 's'),
      ...levels('quarantined', quality.quarantined, 'share'),
      ...levels('conflicts', quality.conflicts, 'share'),
      ...levels('unknown_team', quality.unknownTeam, 'share'),
    ],
  }
}

function levels(name: string, limits: Readonly<Record<string, number | null>>, unit: string) {
  return Object.entries(limits).flatMap(([level, value]) =>
    value === null ? [] : [{ name: `${name}_${level}_${unit}`, value }],
  )
}
