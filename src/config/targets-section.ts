import { z } from 'zod'
import { SEVERITIES } from '../contract/incident.ts'
import { part } from '../settings/config-fields.ts'
import { duration } from '../settings/duration.ts'
import { type CustomTarget, defaultSettings, type Target } from '../settings/settings.ts'
import { hoursName } from './working-hours.ts'

/** Targets by severity. A target of a team or of a dimension value replaces the target of the severity. */

type Severity = (typeof SEVERITIES)[number]

const defaultOf = (severity: string) => defaultSettings.targets.find((one) => one.severity === severity)

const aims = () =>
  z.strictObject({
    ack: duration
      .nullable()
      .optional()
      .describe('Target for the time to acknowledge: seconds, or a text such as 15m. Null: no target.'),
    resolve: duration.nullable().optional().describe('Target for the time to resolve.'),
    ackGoal: part
      .nullable()
      .optional()
      .describe(
        'Objective: the share of incidents that should be acknowledged within the target, from 0 to 1. Default: none.',
      ),
    resolveGoal: part
      .nullable()
      .optional()
      .describe(
        'Objective: the share of incidents that should be resolved within the target, from 0 to 1. Default: none.',
      ),
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

type Aims = z.output<ReturnType<typeof aims>>
type WholeAims = { readonly [Key in keyof Aims]-?: Exclude<Aims[Key], undefined> }

const ofSeverity = (severity: Severity) => aims().prefault({}).describe(`Targets for ${severity} incidents.`)

const NONE = { ack_target_s: null, resolve_target_s: null, ack_goal: null, resolve_goal: null }

const ownAims = aims().extend({
  overrides: z
    .boolean()
    .optional()
    .describe('Applies even if another team or value of the incident has a stricter target.'),
})

/** Targets by name of a team or value. Missing values are inherited from the severity. */
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
      const known = (written.defaults && defaultOf(severity)) || { ...NONE, severity }
      return [severity, filledIn(written[severity], known)] as const
    })
    return { ...written, ...(Object.fromEntries(filled) as Record<Severity, WholeAims>) }
  })

type Targets = z.output<typeof targetsSchema>

function filledIn(said: Aims, otherwise: Omit<Target, 'severity'>): WholeAims {
  const orElse = <Value>(one: Value | undefined, other: Value) => (one === undefined ? other : one)
  return {
    ack: orElse(said.ack, otherwise.ack_target_s),
    resolve: orElse(said.resolve, otherwise.resolve_target_s),
    ackGoal: orElse(said.ackGoal, otherwise.ack_goal),
    resolveGoal: orElse(said.resolveGoal, otherwise.resolve_goal),
    ackHours: orElse(said.ackHours, otherwise.ack_hours ?? null),
    resolveHours: orElse(said.resolveHours, otherwise.resolve_hours ?? null),
  }
}

const rowOf = (severity: string, aims: WholeAims): Target => ({
  severity,
  ack_target_s: aims.ack,
  resolve_target_s: aims.resolve,
  ack_goal: aims.ackGoal,
  resolve_goal: aims.resolveGoal,
  ...(aims.ackHours === null ? {} : { ack_hours: aims.ackHours }),
  ...(aims.resolveHours === null ? {} : { resolve_hours: aims.resolveHours }),
})

export function severityTargets(targets: Targets): Target[] {
  return SEVERITIES.map((severity) => rowOf(severity, targets[severity])).filter(
    ({ ack_target_s, resolve_target_s }) => ack_target_s !== null || resolve_target_s !== null,
  )
}

const KEYS = {
  ack: ['ack', 'ackGoal', 'ackHours'],
  resolve: ['resolve', 'resolveGoal', 'resolveHours'],
} as const

/**
 * Converts the targets of teams and dimension values to rows. A measure gets a row even if the configuration only
 * removes its target.
 */
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
          .filter((measure) => KEYS[measure].some((key) => said[key] !== undefined))
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

/** Returns the names of working hours that targets use, with their paths in the configuration. */
export function hoursAskedFor(targets: Targets): { name: string; path: PropertyKey[] }[] {
  const places: [Partial<Record<Severity, Aims>>, string[]][] = [
    [targets, []],
    ...Object.entries(targets.teams).map(([team, own]): (typeof places)[number] => [own, ['teams', team]]),
    ...Object.entries(targets.dimensions).flatMap(([dimension, values]) =>
      Object.entries(values).map(([value, own]): (typeof places)[number] => [
        own,
        ['dimensions', dimension, value],
      ]),
    ),
  ]
  return places.flatMap(([own, path]) =>
    SEVERITIES.flatMap((severity) =>
      (['ackHours', 'resolveHours'] as const).flatMap((key) => {
        const name = own[severity]?.[key]
        return name ? [{ name, path: ['targets', ...path, severity, key] }] : []
      }),
    ),
  )
}
