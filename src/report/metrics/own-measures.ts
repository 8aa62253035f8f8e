import { ReportError } from '../../errors.ts'
import type { Session } from '../../warehouse/read/session.ts'
import type { Tell } from '../parse/mistakes.ts'
import type { Metric, Metrics, Rows } from './metric-file.ts'

/** A duration of the company's own, as `config_measures` has it. */
export interface OwnMeasure {
  readonly name: string
  readonly title: string
  readonly target_s: number | null
  readonly goal: number | null
}

/** Those of the session's configuration. */
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

/**
 * The rows of a measure: incidents that have it or are on the way to it, in the place of those that people handled, so that every
 * figure of the time to resolve is a figure of it.
 */
function rowsOf({ name }: OwnMeasure): Rows {
  const from = (relation: string) => `select ${relation}.* replace (
      m.seconds as time_to_resolve_s,
      coalesce(m.seconds, m.open_s) as survival_s,
      m.seconds is null as is_open,
      true as is_handled_by_people,
      {
        'place': judged.place,
        'watched_s': judged.watched_s,
        'is_open': m.seconds is null or m.seconds > judged.watched_s,
        'part': judged.part
      } as judged
    ), incident_severity as severity, team_name as team, channel_name as channel
    from ${relation} join scoped_measures m using (account_id, incident_id) where m.measure = '${name}'`
  return { sql: from('scoped_incidents'), before: from('scoped_earlier') }
}

/**
 * The metrics of a report with the measures of the configuration; none may have the name of another.
 * @param measures `any` where nobody knows the configuration: then every name is one
 */
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
    const next = `Call one of them something else, such as own_${name}.`
    tell(new ReportError(`"${name}" is a measure of the configuration, and a metric here.`, own.at, { next }))
  }
  return { metrics: new Map([...metrics, ...more.metrics]), rows: new Map([...rows, ...more.rows]) }
}

/** Every measure as metrics: itself, and with a target the share that keeps it, `NAME_in_time`. */
function metricsOfMeasures(measures: readonly OwnMeasure[]) {
  const rows = new Map<string, Rows>(measures.map((one) => [`of_${one.name}`, rowsOf(one)]))
  const metrics = new Map<string, Metric>()
  for (const { name, title, target_s, goal } of measures) {
    const own = { at: null, rows: `of_${name}` }
    metrics.set(name, {
      ...{ ...own, name, label: title, of: 'not muted', better: 'lower' },
      duration: 'time_to_resolve_s',
      open: 'is_open and not muted',
      headline: 'resolve_times',
      listed: `measures['${name}'] is not null`,
    })
    if (target_s === null) continue
    metrics.set(`${name}_in_time`, {
      ...{ ...own, name: `${name}_in_time`, label: `${title}, in time`, better: 'higher' },
      // What goes on counts from the moment it is late.
      of: `not muted and (not is_open or survival_s > ${target_s})`,
      share: `coalesce(time_to_resolve_s <= ${target_s}, false)`,
      stood: {
        share: `coalesce(time_to_resolve_s <= least(${target_s}, judged.watched_s), false)`,
        of: `not muted and (time_to_resolve_s <= judged.watched_s or judged.watched_s > ${target_s})`,
      },
      ...(goal === null ? {} : { target: `${goal}` }),
      listed: `(measures['${name}'] is not null or open_measures['${name}'] > ${target_s})`,
    })
  }
  return { rows, metrics }
}
