import { ReportError } from '../../errors.ts'
import type { Session } from '../../warehouse/read/session.ts'
import type { Tell } from '../parse/report-errors.ts'
import type { Metric, Metrics, Rows } from './metric-file.ts'

/** A custom measure from `config_measures`, such as the time to mitigate. */
export interface OwnMeasure {
  readonly name: string
  readonly title: string
  readonly target_s: number | null
  readonly goal: number | null
}

export async function ownMeasures(session: Session): Promise<OwnMeasure[]> {
  const { rows } = await session.query(
    'select name, title, target_s, goal from config_measures order by name',
  )
  const number = (value: unknown) => (typeof value === 'number' ? value : null)
  return rows.map(([name, title, target, goal]) => ({
    ...{ name: String(name), title: String(title) },
    ...{ target_s: number(target), goal: number(goal) },
  }))
}

/** Puts the measure in the columns of the time to resolve, so that the same macros work for either. */
function rowsOf({ name }: OwnMeasure): Rows {
  const seconds = `measures['${name}']`
  const soFar = `open_measures['${name}']`
  const from = (relation: string) => `select * replace (
      ${seconds} as time_to_resolve_s,
      coalesce(${seconds}, ${soFar}) as survival_s,
      ${soFar} is not null as is_open,
      true as is_handled_by_people,
      null::varchar as close_type,
      {
        'place': judged.place,
        'watched_s': judged.watched_s,
        'is_open': ${soFar} is not null or ${seconds} > judged.watched_s,
        'part': judged.part
      } as judged
    ), incident_severity as severity, team_name as team, channel_name as channel
    from ${relation} where ${seconds} is not null or ${soFar} is not null`
  return { sql: from('scoped_incidents'), before: from('scoped_earlier') }
}

/** If the configuration is unknown, `measures` is `any`, and every metric name is accepted. */
export function withMeasures(
  { metrics, rows }: Metrics,
  measures: readonly OwnMeasure[] | 'any',
  tell: Tell,
): Metrics {
  if (measures === 'any') return { metrics, rows, isAny: true }
  const more = metricsOfMeasures(measures)
  for (const name of more.metrics.keys()) {
    const own = metrics.get(name)
    if (!own?.at) continue
    const next = `Rename one of them, such as own_${name}.`
    const message = `"${name}" is the name of both a metric here and a measure in the configuration.`
    tell(new ReportError(message, own.at, { next }))
  }
  return { metrics: new Map([...metrics, ...more.metrics]), rows: new Map([...rows, ...more.rows]) }
}

/** Each measure has a metric for its duration. With a target, `NAME_in_time` is the share within the target. */
function metricsOfMeasures(measures: readonly OwnMeasure[]) {
  const rows = new Map<string, Rows>(measures.map((one) => [`of_${one.name}`, rowsOf(one)]))
  const metrics = new Map<string, Metric>()
  const add = (metric: Omit<Metric, 'at'>) =>
    metrics.set(metric.name, { at: null, listAs: 'incidents', ...metric })
  for (const { name, title, target_s, goal } of measures) {
    const seconds = `measures['${name}']`
    const soFar = `open_measures['${name}']`
    add({
      name,
      label: title,
      rows: `of_${name}`,
      duration: seconds,
      of: 'not muted',
      open: `${soFar} is not null and not muted`,
      headline: 'resolve_times',
      better: 'lower',
    })
    if (target_s === null) continue
    // A measure that has not ended is missed as soon as it exceeds the target.
    const decided = (at: string) => `(${seconds} is not null or ${at} > ${target_s})`
    add({
      name: `${name}_in_time`,
      label: `${title}, in time`,
      rows: `of_${name}`,
      of: `not muted and ${decided(soFar)}`,
      share: `coalesce(${seconds} <= ${target_s} and ${decided(soFar)}, false)`,
      stood: {
        share: `coalesce(${seconds} <= least(${target_s}, judged.watched_s), false)`,
        of: `(${seconds} <= judged.watched_s or judged.watched_s > ${target_s})`,
      },
      ...(goal === null ? {} : { target: `${goal}` }),
      better: 'higher',
    })
  }
  return { rows, metrics }
}
