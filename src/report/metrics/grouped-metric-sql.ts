import type { Metrics } from './metric-file.ts'
import {
  type Asked,
  all,
  kindsOf,
  orderOf,
  type Part,
  query,
  rowParts,
  rowsOf,
  select,
  values,
} from './metric-sql.ts'

/** Builds a query for the current period, with one row per value of the column `by`. */
export function bySql(
  asked: readonly Asked[],
  { by, where, most }: { by: string; where: string | null; most: number | null },
  { rows }: Metrics,
): string {
  const times = asked.filter(({ metric }) => metric.duration)
  const kinds = kindsOf(asked)
  const counted = kinds.map((kind): Part => {
    const columns = asked
      .filter(({ metric }) => metric.rows === kind && !metric.duration)
      .flatMap((one) => [...values(one, false, ''), ...endsOf(one)])
    const open = times
      .filter(({ metric }) => metric.rows === kind && metric.open)
      .map(({ metric, column, where: own }) => `count(*) filter (${all(own, metric.open)}) as ${column}_open`)
    return [`of_${kind}`, select([by, ...columns, ...open], `from ${kind}_rows\ngroup by ${by}`)]
  })
  const durations = times.flatMap((one): Part[] => {
    const counts = all(one.where, one.metric.of)
    const filter = counts === 'true' ? '' : `\nwhere ${counts}`
    const seconds = `${one.metric.duration} as seconds, count(*) as n`
    return [
      [
        `${one.column}_durations`,
        `select {'by': ${by}} as series, ${seconds}\nfrom ${rowsOf(one)}${filter}\ngroup by all`,
      ],
      [
        `${one.column}_figures`,
        `select series.by as ${by}, * exclude (series) from duration_figures(of_durations := '${one.column}_durations')`,
      ],
    ]
  })
  const columns = asked.flatMap((one) => (one.metric.duration ? quantilesOf(one, by) : namesOf(one)))
  const [first, ...rest] = kinds
  const joins = [
    ...rest.map((kind) => `full join of_${kind} using (${by})`),
    ...times.map(({ column }) => `left join ${column}_figures using (${by})`),
    ...(by === 'severity' && times.some(({ metric }) => metric.limit)
      ? [`left join (${ONE_LIMIT}) as config_targets using (severity)`]
      : []),
  ]
  const { metric, column } = asked[0]!
  // If the first figure is a duration, rows are sorted by its sample size.
  const order =
    by === 'severity' ? orderOf(by) : `${column}${metric.duration ? '_n' : ''} desc nulls last, ${by}`
  return query(
    [...rowParts(asked, rows, all("period = 'current'", where)), ...counted, ...durations],
    select(
      [by, ...columns],
      [`from of_${first}`, ...joins, `order by ${order}${most === null ? '' : ` limit ${most}`}`].join('\n'),
    ),
  )
}

/** SQL for severities whose target is the same for every incident: no custom targets, and no working hours. */
const ONE_LIMIT =
  'from config_targets where ack_hours is null and resolve_hours is null and severity not in (select severity from config_own_targets)'

/** Returns the columns with the ends of a share’s 95% CI. */
function endsOf({ metric, column, where }: Asked): string[] {
  if (!metric.share) return []
  const interval = `wilson_interval(count(*) filter (${all(where, metric.of, metric.share)}), ${column}_n)`
  return [`${interval}.low as ${column}_low`, `${interval}.high as ${column}_high`]
}

function namesOf({ metric, column }: Asked): string[] {
  if (metric.count) return [`coalesce(${column}, 0) as ${column}`]
  if (metric.share) return ['', '_n', '_low', '_high'].map((end) => `${column}${end}`)
  return [column, ...(metric.low ? [`${column}_low`] : []), ...(metric.high ? [`${column}_high`] : [])]
}

function quantilesOf({ metric, column }: Asked, by: string): string[] {
  const ends = ['', '_low', '_high']
  const figures = ['median', 'p90', 'mean'].flatMap((one) =>
    ends.map((end): [string, string] => [`${one === 'median' ? '' : `_${one}`}${end}`, `${one}${end}_s`]),
  )
  const parts = ['p10', 'p25', 'p75'].map((part): [string, string] => [`_${part}`, `${part}_s`])
  const of = (name: string) => `${column}_figures.${name}`
  const most = (name: string) => (metric.open ? `of_most(${of(name)}, ${of('n')}, ${column}_open)` : of(name))
  return [
    `${of('n')} as ${column}_n`,
    ...(metric.open ? [`${column}_open`] : []),
    ...(metric.limit && by === 'severity' ? [`config_targets.${metric.limit} as ${column}_limit`] : []),
    ...[...figures, ...parts].map(([end, name]) => `${most(name)} as ${column}${end}`),
  ]
}
