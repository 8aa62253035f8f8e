import type { Place } from '../parse/report-errors.ts'
import type { Metric, Metrics, Rows } from './metric-file.ts'

/** A metric in a block, with its column name and its condition. */
export interface Asked {
  metric: Metric
  column: string
  where: string | null
  at: Place
}

/** A query in a `with` clause. */
export type Part = readonly [name: string, sql: string]

/** Joins conditions with `and`. Conditions with `or` or a comment need parentheses. */
export function all(...conditions: readonly (string | null | undefined)[]): string {
  const asked = conditions.filter((one) => one && one !== 'true') as string[]
  const put = (one: string) => (/\bor\b|--/i.test(one) ? `(${one}${one.includes('--') ? '\n' : ''})` : one)
  return asked.length === 0 ? 'true' : asked.map(put).join(' and ')
}

export const rowsOf = ({ metric }: Asked): string => `${metric.rows}_rows`

export function kindsOf(asked: readonly Asked[]): string[] {
  return [...new Set(asked.map(({ metric }) => metric.rows))]
}

export function rowParts(
  asked: readonly Asked[],
  rows: Metrics['rows'],
  where: string | null = null,
): Part[] {
  return kindsOf(asked).map((kind) => {
    const { sql } = rows.get(kind)!
    return [`${kind}_rows`, where === null ? sql : `from (${sql})\nwhere ${where}`]
  })
}

export function query(parts: readonly Part[], last: string): string {
  const indented = (sql: string, by: string) => sql.trim().replace(/\n/g, `\n${by}`)
  const made = parts.map(([name, sql]) => `  ${name} as (\n    ${indented(sql, '    ')}\n  )`)
  return `${made.length > 0 ? `with\n${made.join(',\n')}\n` : ''}${last}\n`
}

export function select(columns: readonly string[], rest: string): string {
  return `select\n  ${columns.join(',\n  ')}\n${rest}`
}

/** `whole` adds quartiles and p90. `row` is a condition that rejects the empty rows of a left join. */
export function values({ metric, column, where }: Asked, whole: boolean, row = 'is_row'): string[] {
  const counts = all(row, where, metric.of)
  const number = (condition: string) => (condition === 'true' ? 'count(*)' : `count(*) filter (${condition})`)
  const known = (value: string) => (metric.known ? `if(${metric.known}, ${value}, null)` : value)
  if (metric.count) return [`${known(number(all(row, where, metric.of, metric.count)))} as ${column}`]
  if (metric.share)
    return [
      `${number(counts)} as ${column}_n`,
      `${number(all(row, where, metric.of, metric.share))} / nullif(${column}_n, 0) as ${column}`,
    ]
  if (metric.figure) {
    const of = (sql: string) => sql.replaceAll('{rows}', counts)
    const ends = [
      metric.low && `${of(metric.low)} as ${column}_low`,
      metric.high && `${of(metric.high)} as ${column}_high`,
    ]
    // With the suffix `_n`, the figure would count as a share, and would get an interval and a verdict.
    const n = metric.n ? [`${of(metric.n)} as ${column}_counted`] : []
    return [`${of(metric.figure)} as ${column}`, ...n, ...ends.flatMap((one) => one || [])]
  }
  const seconds = counts === 'true' ? metric.duration! : `if(${counts}, ${metric.duration}, null)`
  const most = (value: string) => (metric.open ? `of_most(${value}, ${column}_n, ${column}_open)` : value)
  const parts = whole ? ['0.25', '0.75'] : []
  return [
    `count(${seconds}) as ${column}_n`,
    ...(metric.open ? [`${number(all(row, where, metric.open))} as ${column}_open`] : []),
    `${most(`median(${seconds})`)} as ${column}`,
    ...parts.map((part) => `${most(`quantile_cont(${seconds}, ${part})`)} as ${column}_p${part.slice(2)}`),
    ...(whole ? [`${most(`p90(${seconds})`)} as ${column}_p90`] : []),
  ]
}

/** Returns SQL for the value that all rows have. It gives null if values differ or a row has no value. */
function oneOf(value: string, counts: string): string {
  const of = `if(${counts}, ${value}, null)`
  return `if(min(${of}) = max(${of}) and count(${of}) = count(*) filter (${counts}), min(${of}), null)`
}

function samples({ metric, column, where }: Asked, { before }: Rows): string[] {
  if (metric.count) {
    const hits = all(where, metric.of, metric.count)
    const earlier = `(select earlier_weeks_of(judged, ${hits}) from ${metric.rows}_before) as ${column}_earlier`
    return [`weeks_of(judged, ${all('is_row', hits)}) as ${column}_weeks`, ...(before ? [earlier] : [])]
  }
  const judged = all('is_row', where, metric.of)
  const target = metric.target ? [`${oneOf(metric.target, judged)} as ${column}_target`] : []
  if (!metric.share) return target
  const hit = metric.stood?.share ?? metric.share
  const stood = all(where, metric.stood?.of ?? metric.of)
  const earlier = `(select earlier_share_weeks_of(${hit}, judged, ${stood}) from ${metric.rows}_before) as ${column}_earlier`
  return [
    `share_weeks_of(${hit}, judged, ${all('is_row', stood)}) as ${column}_weeks`,
    ...(before ? [earlier] : []),
    ...target,
  ]
}

/** Builds the query for the figures of both periods, and for the samples from which changes are tested. */
export function periodsSql(asked: readonly Asked[], { rows }: Metrics): string {
  const plain = asked.filter(({ metric }) => !metric.headline)
  const earlier = kindsOf(asked.filter(({ metric }) => !metric.figure && rows.get(metric.rows)!.before))
  const figures = kindsOf(plain).map((kind): Part => {
    const columns = plain
      .filter(({ metric }) => metric.rows === kind)
      .flatMap((one) => [...values(one, false), ...samples(one, rows.get(kind)!)])
    const joined = `from scoped_periods left join (select *, true as is_row from ${kind}_rows) using (period)`
    return [`of_${kind}`, select(['period', ...columns], `${joined}\ngroup by period`)]
  })
  const times = asked.flatMap((one) => [
    ...(one.metric.duration ? timesOf(one, rows.get(one.metric.rows)!) : []),
    ...(one.metric.attained ? attainedOf(one, one.metric.attained) : []),
  ])
  const parts = [
    ...rowParts(asked, rows),
    ...earlier.map((kind): Part => [`${kind}_before`, rows.get(kind)!.before!]),
    ...figures,
    ...times,
  ]
  const joined = [...figures, ...times.filter(([name]) => /_(times|figures)$/.test(name))]
  const joins = joined.map(([name]) => `left join ${name} using (period)`)
  return query(parts, ['from scoped_periods', ...joins, 'order by period'].join('\n'))
}

/** Builds the query parts for a duration’s sample, and for the duration itself if a macro computes it. */
function timesOf(one: Asked, { before }: Rows): Part[] {
  const { metric, column, where } = one
  const counts = all(where, metric.of)
  const filter = counts === 'true' ? '' : `\nwhere ${counts}`
  const named = ['closed', 'open', 'closed_half_s', 'taken_on']
  const figures = [
    'period',
    `median_s as ${column}`,
    `interval_of(median_low_s, median_high_s) as ${column}_interval`,
    ...named.map((each) => `${each} as ${column}_${each}`),
    // The page mentions the rule only for medians from a survival curve.
    `if(is_survival, rule, null) as ${column}_rule`,
  ]
  return [
    [
      `${column}_seconds`,
      [rowsOf(one), ...(before ? [`${metric.rows}_before`] : [])]
        .map((from) => `select period, judged, ${metric.duration} as seconds\nfrom ${from}${filter}`)
        .join('\nunion all\n'),
    ],
    [`${column}_times`, `select period, sample as ${column}_sample from sampled('${column}_seconds')`],
    ...(metric.headline
      ? ([
          [`${column}_rows`, `from ${rowsOf(one)}${where === null ? '' : `\nwhere ${all(where)}`}`],
          [`${column}_figures`, select(figures, `from ${metric.headline}('${column}_rows')`)],
        ] as const)
      : []),
  ]
}

/** Builds the query parts for the interval and the objective of a share within target. */
function attainedOf(one: Asked, measure: string): Part[] {
  const { column, where } = one
  const columns = ['period', `interval_of(low, high) as ${column}_interval`, `goal as ${column}_target`]
  return [
    [`${column}_held`, `from ${rowsOf(one)}\nwhere ${all(where)}`],
    [`${column}_figures`, select(columns, `from attained_of('${column}_held', '${measure}')`)],
  ]
}

/** Includes weeks without rows. `series` splits the figures by the values of a column. */
export function seriesSql(
  asked: readonly Asked[],
  bucket: 'week' | 'month',
  series: { column: string; most: number } | null,
  { rows }: Metrics,
): string {
  const time = bucket === 'week' ? ['week', 'period', 'is_partial'] : ['month', 'is_partial']
  const keys = bucket === 'week' ? ['week', 'period'] : ['month']
  const kinds = kindsOf(asked)
  const sources = kinds.map((kind): Part => {
    const { sql, months } = rows.get(kind)!
    return [`${kind}_rows`, bucket === 'week' ? sql : (months ?? sql)]
  })
  if (series) return splitSql(asked, sources, { bucket, time, keys }, series)
  const parts = kinds.map((kind): Part => {
    const columns = asked.filter(({ metric }) => metric.rows === kind).flatMap((one) => values(one, true))
    const row = `(select *, true as is_row from ${kind}_rows)`
    const joined = `from scoped_${bucket}s left join ${row} using (${keys.join(', ')})\ngroup by all`
    return [`of_${kind}`, select([...time, ...columns], joined)]
  })
  const [first, ...rest] = parts.map(([name]) => name)
  const joins = rest.map((name) => `join ${name} using (${time.join(', ')})`)
  return query([...sources, ...parts], [`from ${first}`, ...joins, `order by ${bucket}`].join('\n'))
}

function splitSql(
  [one]: readonly Asked[],
  sources: readonly Part[],
  { bucket, time, keys }: { bucket: string; time: string[]; keys: string[] },
  { column: by, most }: { column: string; most: number },
): string {
  const asked = one!
  const from = rowsOf(asked)
  // Values that occur only in the current week are included, or its total would be too low.
  const n = bucket === 'week' ? "count(*) filter (period <> 'running')" : 'count(*)'
  const now = all(asked.where, asked.metric.of, asked.metric.count)
  const filter = now === 'true' ? '' : ` where ${now}`
  const columns = values(asked, false, '')
  const made = columns.map((each) => each.slice(each.lastIndexOf(' as ') + 4))
  const shown = made.map((name) => (asked.metric.count ? `coalesce(${name}, 0) as ${name}` : name))
  return query(
    [
      ...sources,
      ['counted', select([...keys, by, ...columns], `from ${from}\ngroup by all`)],
      ['shown', `select ${by} from ${from}${filter}\ngroup by ${by} order by ${n} desc, ${by} limit ${most}`],
    ],
    select(
      [...time, by, ...shown],
      `from scoped_${bucket}s cross join shown left join counted using (${[...keys, by].join(', ')})
order by ${bucket}, ${orderOf(by)}`,
    ),
  )
}

export const orderOf = (by: string) => (by === 'severity' ? 'severity_rank(severity), severity' : by)
