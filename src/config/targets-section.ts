import { z } from 'zod'
import { SEVERITIES } from '../contract/incident.ts'
import { share } from '../settings/config-fields.ts'
import { duration } from '../settings/duration.ts'
import { type CustomTarget, defaultSettings, type Target } from '../settings/settings.ts'
import { hoursName } from './working-hours.ts'

type Severity = (typeof SEVERITIES)[number]

const NONE = { ack_target_s: null, resolve_target_s: null, ack_goal: null, resolve_goal: null }

const defaultOf = (severity: Severity): Target =>
  defaultSettings.targets.find((one) => one.severity === severity) ?? { ...NONE, severity }

const aims = () =>
  z.strictObject({
    ack: duration
      .nullable()
      .optional()
      .describe('Target for the time to acknowledge: seconds, or a text such as 15m. Null: no target.'),
    resolve: duration.nullable().optional().describe('Target for the time to resolve.'),
    ackGoal: goal('acknowledged'),
    resolveGoal: goal('resolved'),
    ackHours: hours('acknowledge'),
    resolveHours: hours('resolve'),
  })

const hours = (what: string) =>
  hoursName
    .nullable()
    .optional()
    .describe(
      `Name in \`reporting.workingHours\`. The target to ${what} counts only these hours. Default: all hours.`,
    )

const goal = (what: string) =>
  share
    .nullable()
    .optional()
    .describe(
      `Objective: the share of incidents that should be ${what} within the target, from 0 to 1. Default: none.`,
    )

type Aims = z.output<ReturnType<typeof aims>>
type WholeAims = { readonly [Key in keyof Aims]-?: Exclude<Aims[Key], undefined> }

const ofSeverity = (severity: Severity) => aims().prefault({}).describe(`Targets for ${severity} incidents.`)

const ownAims = aims().extend({
  overrides: z
    .boolean()
    .optional()
    .describe('Applies even if another team or value of the incident has a stricter target.'),
})

/** Targets by team or dimension value, then by severity. Missing values come from the severity's general target. */
const byName = z.record(z.string().min(1), z.partialRecord(z.enum(SEVERITIES), ownAims))

export const targetsSchema = z
  .strictObject({
    defaults: z
      .boolean()
      .default(true)
      .describe(
        'Whether the default targets apply to missing values. With false, only the targets in this section apply.',
      ),
    Critical: ofSeverity('Critical'),
    Warning: ofSeverity('Warning'),
    Info: ofSeverity('Info'),
    Ok: ofSeverity('Ok'),
    teams: byName
      .default({})
      .describe(
        'Targets by team name: `{"Payments": {"Critical": {"resolve": "2h"}}}`. Missing values are inherited from the severity.',
      ),
    dimensions: z
      .record(z.string(), byName)
      .default({})
      .describe(
        'Targets by dimension value: `{"service": {"checkout": {"Critical": {"ack": "2m"}}}}`. If an incident has several such targets, the strictest one applies, unless one `overrides`.',
      ),
  })
  .prefault({})
  .transform((written) => {
    const filled = SEVERITIES.map((severity) => {
      const known = written.defaults ? defaultOf(severity) : { ...NONE, severity }
      return [severity, filledIn(written[severity], known)] as const
    })
    return { ...written, ...(Object.fromEntries(filled) as Record<Severity, WholeAims>) }
  })

type Targets = z.output<typeof targetsSchema>

const COLUMNS = {
  ack: 'ack_target_s',
  resolve: 'resolve_target_s',
  ackGoal: 'ack_goal',
  resolveGoal: 'resolve_goal',
  ackHours: 'ack_hours',
  resolveHours: 'resolve_hours',
} as const satisfies Record<keyof Aims, keyof Target>
const KEYS = Object.keys(COLUMNS) as (keyof Aims)[]

function filledIn(said: Aims, row: Target): WholeAims {
  const value = (key: keyof Aims) => (said[key] === undefined ? (row[COLUMNS[key]] ?? null) : said[key])
  return Object.fromEntries(KEYS.map((key) => [key, value(key)])) as WholeAims
}

function rowOf(severity: Severity, aims: WholeAims): Target {
  const columns = KEYS.map((key) => [COLUMNS[key], aims[key]] as const)
  // An omitted column means that the target counts all hours.
  const kept = columns.filter(([column, value]) => value !== null || !column.endsWith('_hours'))
  return { ...NONE, ...Object.fromEntries(kept), severity }
}

/** Converts the targets for severities to rows. A severity without a target has no row. */
export function severityTargets(targets: Targets): Target[] {
  return SEVERITIES.map((severity) => rowOf(severity, targets[severity])).filter(
    ({ ack_target_s, resolve_target_s }) => ack_target_s !== null || resolve_target_s !== null,
  )
}

/** Makes separate rows for `ack` and `resolve`. Omits a row if the configuration sets none of its values. */
export function ownTargets(targets: Targets): CustomTarget[] {
  const dimensions = Object.entries(targets.dimensions)
  const scopes = [['team', targets.teams] as const, ...dimensions.toReversed()]
  return scopes.flatMap(([scope, byName], index) =>
    Object.entries(byName).flatMap(([value, bySeverity]) =>
      SEVERITIES.flatMap((severity) => {
        const said = bySeverity[severity]
        if (!said) return []
        const whole = filledIn(said, rowOf(severity, targets[severity]))
        const { overrides = false } = said
        return (['ack', 'resolve'] as const)
          .filter((measure) => KEYS.some((key) => key.startsWith(measure) && said[key] !== undefined))
          .map((measure) => ({
            ...{ scope, value, rank: index + 1, severity, measure, overrides },
            target_s: whole[measure],
            goal: whole[`${measure}Goal`],
            hours: whole[`${measure}Hours`],
          }))
      }),
    ),
  )
}
