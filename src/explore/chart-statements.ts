import { quoteIdentifier } from '../definitions/quote.ts'
import { addDays } from '../report/scope/local-date.ts'
import type { Facet } from './facets.ts'
import { type Asked, conditionOf, POPULATION, previousOf, type Statement } from './statements.ts'

export type Unit = 'day' | 'week' | 'month'

/** Selects all days, weeks or months in a period. `is_partial` marks those that the period covers only in part. */
const bucketsOf = (unit: Unit) => `buckets as (
  select bucket::date as ${unit},
    if(bucket < $first_whole::date or (bucket + interval 1 ${unit} > $past::date and $is_over), true, null) as is_partial
  from (select unnest(range(
    date_trunc('${unit}', $first::date)::timestamp, $past::date::timestamp, interval 1 ${unit}
  )) as bucket)
)`

const chosenByUnit = (sql: string, unit: Unit) => `with chosen as (
  select date_trunc('${unit}', day)::date as ${unit}, * from ${POPULATION} where ${sql}
)`

function bucketed(asked: Asked): Statement {
  const { sql, parameters } = conditionOf(asked)
  const { from, to, since, until } = asked.days
  const first_whole = since === null ? from : addDays(from, 1)
  return { sql, parameters: { ...parameters, first: from, first_whole, past: to, is_over: until === null } }
}

/** Counts incidents by severity and time. Includes days, weeks or months without incidents. */
export function historySql(asked: Asked, unit: Unit): Statement {
  const { sql, parameters } = bucketed(asked)
  return {
    parameters,
    sql: `${chosenByUnit(sql, unit)},
counted as (select ${unit}, incident_severity as severity, count(*) as incidents from chosen group by all),
${bucketsOf(unit)}
select ${unit}, severity, coalesce(incidents, 0) as incidents, is_partial
from buckets cross join (select distinct severity from counted) left join counted using (${unit}, severity)
order by ${unit}, severity_rank(severity)`,
  }
}

/** The median time to resolve is null if most incidents of that day, week or month are still open. */
export function trendSql(asked: Asked, unit: Unit): Statement {
  const { sql, parameters } = bucketed(asked)
  return {
    parameters,
    sql: `${chosenByUnit(sql, unit)},
figures as (
  select ${unit}, avg(ack_met::integer) as acknowledged, avg(resolve_met::integer) as resolved, median(tta_s) as tta,
    if(count(*) filter (is_open and not is_muted) <= count(time_to_resolve_s), median(time_to_resolve_s), null) as ttr
  from chosen group by all
),
${bucketsOf(unit)}
select ${unit}, acknowledged, resolved, tta, ttr, is_partial
from buckets left join figures using (${unit})
order by ${unit}`,
  }
}

/** Compares the period with the previous one. The medians are null if the filter selects a person. */
export function breakdownSql(asked: Asked, { column }: Facet): Statement {
  const now = conditionOf(asked)
  const previous = previousOf(asked)
  const past =
    previous === null ? { sql: 'false', parameters: {} } : conditionOf(previous, { prefix: 'past' })
  const value = `${quoteIdentifier(column)}::varchar as value`
  const median = (side: string) =>
    asked.filter.person === null ? `median(tta_s) filter (${side})` : 'null::double'
  return {
    parameters: { ...now.parameters, ...past.parameters },
    sql: `with chosen as (
  select ${value}, tta_s, true as is_now from ${POPULATION} where ${now.sql}
  union all
  select ${value}, tta_s, false from ${POPULATION} where ${past.sql}
)
select value, count(*) filter (is_now) as incidents, count(*) filter (not is_now) as before,
  ${median('is_now')} as tta, ${median('not is_now')} as tta_before
from chosen group by value
order by incidents desc, before desc, value`,
  }
}
