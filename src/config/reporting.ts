import { z } from 'zod'
import { unknownName } from '../errors.ts'
import { optionalText, part as share, size } from '../settings/config-fields.ts'
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
import { hoursAskedFor, ownTargets, severityTargets, targetsSchema } from './targets-section.ts'
import { teamZonesSchema, workingHoursOf, workingHoursSchema } from './working-hours.ts'

const count = z.int().min(1)

const names = z.array(z.union([z.int().positive(), z.string().trim().min(1)])).default([])

type NumberLike = z.ZodType<number, number | string>

/** A target or limit that null disables. */
function orNull(schema: NumberLike, value: number | null | undefined, meaning: string) {
  const orNone = schema.nullable().default(value ?? null)
  return orNone.describe(meaning)
}

const defaultOf = (name: string): number | null =>
  defaultSettings.thresholds.find((each) => each.name === name)?.value ?? null

/** Thresholds at which a data-quality figure becomes a warning or an error. Null: never. */
const bounds = (name: string, schema: NumberLike = share, unit = 'share') =>
  z
    .strictObject({
      warn: orNull(schema, defaultOf(`${name}_warn_${unit}`), 'Shows a banner; null: never.'),
      error: orNull(schema, defaultOf(`${name}_error_${unit}`), 'Fails the report; null: never.'),
    })
    .prefault({})

export const reportingSchema = z
  .strictObject({
    memoryLimit: size
      .default('512MB')
      .describe(
        'Memory DuckDB may use for reports, `sql`, `check`, `compare`, `mcp` and `verify`; what does not fit is spilled to disk.',
      ),
    timeout: duration
      .default(600)
      .describe('How long a report may take: one that takes longer is ended, and the others are made.'),
    cohort: z
      .enum(['started', 'closed'])
      .default('started')
      .describe('Which incidents belong to a period: those started in it or those closed in it.'),
    ackPolicy: z
      .enum(['exclude', 'close_counts', 'first_action'])
      .optional()
      .describe(
        'Rule of the time to acknowledge; see the definition of MTTA. The default is `exclude`, or `first_action` (the first thing a person did) if `automation` names somebody.',
      ),
    exclude: excludeSchema,
    dimensions: dimensionsSchema,
    pages: pagesSchema,
    targets: targetsSchema.describe('Targets by severity, and of a team or of a value of a dimension.'),
    teams: z
      .union([z.boolean(), z.array(z.string().min(1)).min(1)])
      .default(false)
      .describe(
        'Makes each report for every team too, or for those named, in `out/teams/`; `faultline report --teams` does so once.',
      ),
    hours: hoursSchema.prefault('office').describe('Working hours, sleep and the rest, by the local clock.'),
    automation: z
      .strictObject({
        members: names.describe('Members, by their ids or names.'),
        integrations: names.describe(
          'Integrations, by their ids or types, whose alerts recover by its doing.',
        ),
      })
      .prefault({})
      .describe(
        'Who is no person: the review then tells what it acknowledged, resolved and handed to people.',
      ),
    measures: measuresSchema,
    corrections: optionalText(
      'CSV file of corrections: incident, field, value, who, why. What was read is not touched. See src/config/custom-definitions.md.',
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
        'Zone of a person, by the id of the member: `{"1042": "Asia/Tokyo"}`; default: that of the account.',
      ),
    onCall: z
      .record(z.string().min(1), z.number().positive('expected hours a week, such as 168'))
      .default({})
      .describe(
        'Hours a week that somebody of a team is on call, by its name: `{"Payments": 168}`; two people at once count twice. Gives incidents per 1,000 on-call hours.',
      ),
    events: eventsSchema,
    hourlyCost: z
      .number()
      .positive('expected what an hour of a person costs, such as 95')
      .optional()
      .describe(
        'What an hour of a person costs, in your currency: the review then shows what engaged hours cost at most. No cost is shown without it.',
      ),
    lists: z
      .boolean()
      .default(true)
      .describe(
        'Makes a page of incidents for each number of a page; `false` leaves them out, and numbers are plain text.',
      ),
    thresholds: z
      .strictObject({
        p90MinN: count.default(defaultOf('p90_min_n')!).describe('Fewest values for a p90.'),
        intervalMinN: count
          .default(defaultOf('interval_min_n')!)
          .describe('Fewest values for the interval of a median.'),
        quickClose: duration
          .default(defaultOf('quick_close_s')!)
          .describe('An incident closed sooner than this counts as a quick close.'),
        repeatWithin: duration
          .default(defaultOf('repeat_within_s')!)
          .describe('An incident of the same source this soon after a close is a repeat.'),
        overloadIncidents: count
          .default(defaultOf('overload_n')!)
          .describe('A person with more incidents than this within `overloadWithin` is overloaded.'),
        overloadWithin: duration
          .default(defaultOf('overload_within_s')!)
          .describe('See `overloadIncidents`.'),
        noiseIncidents: count
          .default(defaultOf('noise_min_n')!)
          .describe('Fewest incidents of a noisy source, of which `noiseSelfHealed` healed by themselves.'),
        noiseSelfHealed: share
          .default(defaultOf('noise_self_healed_share')!)
          .describe('See `noiseIncidents`; a share.'),
      })
      .prefault({})
      .describe('Thresholds of figures and of what counts as quick, repeated, overload or noise.'),
    quality: z
      .strictObject({
        coverage: bounds('coverage').describe('Share of the period that was read; fails when it is lower.'),
        age: bounds('age', duration, 's').describe('Age of the data when a report runs.'),
        quarantined: bounds('quarantined').describe('Records in quarantine, as a share of all records read.'),
        conflicts: bounds('conflicts').describe(
          'Incidents whose times or progress contradict each other, as a share.',
        ),
        unknownTeam: bounds('unknown_team').describe('Incidents whose team is not known, as a share.'),
      })
      .prefault({})
      .describe(
        'Data quality: beyond `warn` the page shows a banner, beyond `error` the report also fails (exit status 3).',
      ),
  })
  .superRefine((reporting, context) => {
    const { dimensions, targets, workingHours } = reporting
    const known = (names: object, name: string, what: string, path: PropertyKey[]) => {
      if (name in names) return
      const all = Object.keys(names)
      const next = all.length > 0 ? unknownName(name, all) : `Name it in \`reporting.${what}\` first.`
      const message = `there is nothing called "${name}" in reporting.${what}`
      context.addIssue({ code: 'custom', message, path, params: { next } })
    }
    for (const name of Object.keys(targets.dimensions))
      known(dimensions, name, 'dimensions', ['targets', 'dimensions', name])
    const measures = Object.entries(reporting.measures).flatMap(([measure, { workingHours: name }]) =>
      name ? [{ name, path: ['measures', measure, 'workingHours'] }] : [],
    )
    for (const { name, path } of [...hoursAskedFor(targets), ...measures])
      known(workingHours, name, 'workingHours', path)
  })
  .prefault({})

/** Converts the section to rows of the tables `config_*`. Also holds the folder of custom SQL. */
export function settingsOf(
  reporting: z.output<typeof reportingSchema>,
  {
    folder,
    isPublished = false,
    timezone = 'UTC',
    corrections = [],
    placeOf = (path) => path.join('.'),
  }: {
    folder?: string | undefined
    isPublished?: boolean | undefined
    timezone?: string | undefined
    corrections?: readonly Correction[]
    placeOf?: PlaceOf
  } = {},
): Settings {
  const { targets, thresholds, quality, events } = reporting
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
    onCall: Object.entries(reporting.onCall).map(([team_name, hours_per_week]) => ({
      team_name,
      hours_per_week,
    })),
    events: eventRows(events, timezone),
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
      ...(reporting.hourlyCost === undefined ? [] : [{ name: 'hourly_cost', value: reporting.hourlyCost }]),
      ...levels('coverage', quality.coverage, 'share'),
      ...levels('age', quality.age, 's'),
      ...levels('quarantined', quality.quarantined, 'share'),
      ...levels('conflicts', quality.conflicts, 'share'),
      ...levels('unknown_team', quality.unknownTeam, 'share'),
    ],
  }
}

function levels(name: string, limits: { warn: number | null; error: number | null }, unit: string) {
  return Object.entries(limits)
    .map(([level, value]) => ({ name: `${name}_${level}_${unit}`, value }))
    .filter((each): each is { name: string; value: number } => each.value !== null)
}
