import { z } from 'zod'
import { defaultSettings, type Settings } from '../settings.ts'
import { isZone } from '../zone.ts'
import { duration } from './duration.ts'
import { hoursSchema } from './hours.ts'

/** How figures are judged and counted. Everything has a default: that of `settings.ts`. */

const share = z.number().min(0, 'a share is from 0 to 1').max(1, 'a share is from 0 to 1')
const count = z.int().min(1)

/** A target of one severity; null takes it away. */
function target(severity: string) {
  const known = defaultSettings.targets.find((each) => each.severity === severity)
  return z
    .strictObject({
      ack: duration
        .nullable()
        .default(known?.ack_target_s ?? null)
        .describe('Acknowledged within: seconds, or a text such as 15m; null is no target.'),
      resolve: duration
        .nullable()
        .default(known?.resolve_target_s ?? null)
        .describe('Resolved within.'),
      ackGoal: share
        .nullable()
        .default(known?.ack_goal ?? null)
        .describe('Share of incidents that is to be acknowledged in time.'),
      resolveGoal: share
        .nullable()
        .default(known?.resolve_goal ?? null)
        .describe('Share that is to be resolved in time.'),
    })
    .prefault({})
    .describe(`Targets of ${severity} incidents.`)
}

const usual = (name: string): number | null =>
  defaultSettings.thresholds.find((each) => each.name === name)?.value ?? null

/** When a figure of data quality is a warning, and when it is an error; null is never. */
const shares = (name: string) =>
  z
    .strictObject({
      warn: share
        .nullable()
        .default(usual(`${name}_warn_share`))
        .describe('Shows a banner; null is never.'),
      error: share
        .nullable()
        .default(usual(`${name}_error_share`))
        .describe('Fails the report; null is never.'),
    })
    .prefault({})

export const reportingSchema = z
  .strictObject({
    memoryLimit: z
      .string()
      .regex(/^\d+(\.\d+)?\s*(KB|MB|GB|TB|KiB|MiB|GiB|TiB)$/i, 'expected a size such as 512MB')
      .default('1GB')
      .describe(
        'Memory DuckDB may use for reports and queries; what does not fit lies on the disk meanwhile.',
      ),
    cohort: z
      .enum(['started', 'closed'])
      .default('started')
      .describe(
        'Which incidents belong to a period: those that started in it, or those that were closed in it.',
      ),
    ackPolicy: z
      .enum(['exclude', 'close_counts', 'first_action'])
      .default('exclude')
      .describe('What counts as an acknowledgement; see the definition of MTTA.'),
    targets: z
      .strictObject({
        Critical: target('Critical'),
        Warning: target('Warning'),
        Info: target('Info'),
        Ok: target('Ok'),
      })
      .prefault({})
      .describe('Targets by severity.'),
    hours: hoursSchema.prefault('office').describe('Working hours, sleep and the rest, by the local clock.'),
    holidays: z
      .record(z.iso.date('expected a day such as 2026-12-25'), z.string())
      .default({})
      .describe('Days on which nobody works: `{"2026-12-25": "Christmas Day"}`.'),
    zones: z
      .record(
        z.string().regex(/^\d{1,18}$/, 'expected the id of a member'),
        z.string().refine(isZone, 'expected an IANA time zone name, such as Europe/Berlin'),
      )
      .default({})
      .describe(
        'Zone of a person, by the id of the member: `{"1042": "Asia/Tokyo"}`. Without one that of the account is taken.',
      ),
    thresholds: z
      .strictObject({
        p90MinN: count.default(usual('p90_min_n')!).describe('No p90 on fewer values.'),
        intervalMinN: count
          .default(usual('interval_min_n')!)
          .describe('No interval of a median on fewer values.'),
        quickClose: duration
          .default(usual('quick_close_s')!)
          .describe('An incident closed sooner than that was hardly one.'),
        repeatWithin: duration
          .default(usual('repeat_within_s')!)
          .describe('The same source again so soon after the close is a repeat.'),
        overloadIncidents: count
          .default(usual('overload_n')!)
          .describe('A person with more incidents than this within `overloadWithin` is overloaded.'),
        overloadWithin: duration.default(usual('overload_within_s')!).describe('See `overloadIncidents`.'),
        noiseIncidents: count
          .default(usual('noise_min_n')!)
          .describe(
            'A source is noisy from so many incidents, of which `noiseSelfHealed` healed by themselves.',
          ),
        noiseSelfHealed: share
          .default(usual('noise_self_healed_share')!)
          .describe('See `noiseIncidents`; a share.'),
      })
      .prefault({})
      .describe('From when a figure is shown, and what is short, repeated, too much or noise.'),
    quality: z
      .strictObject({
        coverage: shares('coverage').describe('Share of the period that was read; too low is bad.'),
        age: z
          .strictObject({
            warn: duration.nullable().default(usual('age_warn_s')).describe('Shows a banner; null is never.'),
            error: duration
              .nullable()
              .default(usual('age_error_s'))
              .describe('Fails the report; null is never.'),
          })
          .prefault({})
          .describe('Age of the data when a report runs.'),
        quarantined: shares('quarantined').describe(
          'Records in quarantine, as a share of all that were read.',
        ),
        conflicts: shares('conflicts').describe(
          'Incidents whose times or progress contradict each other, as a share.',
        ),
        unknownTeam: shares('unknown_team').describe('Incidents whose team is not known, as a share.'),
      })
      .prefault({})
      .describe(
        'Data quality: beyond `warn` a page says so, beyond `error` the report fails as well (exit status 3).',
      ),
  })
  .prefault({})

/** The section as rows of the tables `config_*`. */
export function settingsOf(reporting: z.output<typeof reportingSchema>): Settings {
  const { targets, thresholds, quality } = reporting
  return {
    targets: Object.entries(targets)
      .filter(([, { ack, resolve }]) => ack !== null || resolve !== null)
      .map(([severity, { ack, resolve, ackGoal, resolveGoal }]) => ({
        severity,
        ack_target_s: ack,
        resolve_target_s: resolve,
        ack_goal: ackGoal,
        resolve_goal: resolveGoal,
      })),
    bands: reporting.hours,
    holidays: Object.entries(reporting.holidays).map(([day, name]) => ({ day, name })),
    personZones: Object.entries(reporting.zones).map(([person_id, timezone]) => ({ person_id, timezone })),
    policies: [
      { name: 'ack', value: reporting.ackPolicy },
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
