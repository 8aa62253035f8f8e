import { quoteIdentifier, quoteLiteral } from '../definitions/quote.ts'
import type { QueryParameters } from '../warehouse/read/bind.ts'
import { dimensionOf, type Facet } from './facets.ts'
import { EVER, type Filter } from './filter.ts'
import type { Days } from './period-range.ts'

/** An SQL statement with its parameters. A value from the URL must be a parameter, never a part of the SQL text. */
export interface Statement {
  readonly sql: string
  readonly parameters: QueryParameters
}

/** Table in the session that contains the incidents. */
export const POPULATION = 'explored'
/** Table in the session that links incidents to people. */
export const PEOPLE = 'explored_people'

export function populationSql(facets: readonly Facet[]): string {
  return `select
  account_id, incident_id, start_time, counted_at, day, incident_severity, team_name, channel_name,
  nullif(integration_type, '') as integration_type${madeColumns(facets)},
  state, band, weekday::utinyint as weekday, hour::utinyint as hour, title, is_open, is_muted, is_handled_by_people,
  close_type, tta_s, time_to_resolve_s, survival_s, coalesce(time_to_close_s, survival_s) as lasted_s,
  ${isMet('ack_outcome')}, ${isMet('resolve_outcome')}
from incident_facets(zone := $zone)
left join (select account_id, incident_id, ack_outcome, resolve_outcome from incident_targets())
  using (account_id, incident_id)`
}

/** SQL for whether an incident met its target. Null if the incident has no target or is still within the time limit. */
const isMet = (outcome: string) =>
  `case ${outcome} when 'met' then true when 'missed' then false end as ${outcome.replace('outcome', 'met')}`

/** Selects the rows of the table `PEOPLE`. `place` is the row id of the incident in `POPULATION`. */
export const peopleSql = `select ${POPULATION}.rowid::integer as place, person_id, pages::integer as pages,
  night_pages::integer as night_pages
from incident_people join ${POPULATION} using (account_id, incident_id)`

export const firstDaySql = `select min(day)::varchar from ${POPULATION} having min(day) is not null`

export const knownSql = ({ column }: Facet) =>
  `select distinct ${quoteIdentifier(column)}::varchar from ${POPULATION} where ${quoteIdentifier(column)} is not null`

/** The columns of facets that `incident_facets` does not have. */
function madeColumns(facets: readonly Facet[]): string {
  const dimensions = facets
    .flatMap((facet) => dimensionOf(facet) ?? [])
    .map((one) => `, dimensions[${quoteLiteral(one)}] as ${quoteIdentifier(`dimension.${one}`)}`)
  return [', alert_family(title) as alert_family', ...dimensions].join('')
}

/** A filter, with its period resolved to days. */
export interface Asked {
  readonly filter: Filter
  readonly days: Days
  readonly facets: readonly Facet[]
}

export function previousOf(asked: Asked): Asked | null {
  const { days } = asked
  return days.previous && { ...asked, days: { ...days, ...days.previous } }
}

/**
 * @param how.without name of a facet whose selected values are ignored
 * @param how.isKept true for a condition on `POPULATION`, false for a condition on views of the warehouse
 * @param how.prefix prefix of the parameter names. Two conditions in one statement need different prefixes
 */
export function conditionOf(
  { filter, days, facets }: Asked,
  {
    without = '',
    isKept = true,
    prefix = 'value',
  }: { without?: string; isKept?: boolean; prefix?: string } = {},
): Statement {
  const parameters: Record<string, QueryParameters[string]> = {}
  const given = (value: QueryParameters[string]) => {
    const name = `${prefix}_${Object.keys(parameters).length + 1}`
    parameters[name] = value
    return `$${name}`
  }
  const parts: string[] = []
  if (filter.period !== EVER) {
    parts.push(`day >= ${given(days.from)}::date`, `day < ${given(days.to)}::date`)
    if (days.since) parts.push(`counted_at > ${given(days.since)}`)
    if (days.until) parts.push(`counted_at <= ${given(days.until)}`)
  }
  for (const { name, column } of facets) {
    const values = name === without ? undefined : filter.chosen.get(name)
    if (values) parts.push(`${quoteIdentifier(column)}::varchar in (${values.map(given).join(', ')})`)
  }
  if (filter.title !== '') parts.push(`contains(lower(title), lower(${given(filter.title)}))`)
  if (filter.person !== null && without !== 'person') {
    const [account = '', person = ''] = filter.person.split('.')
    const own = isKept
      ? `rowid in (select place from ${PEOPLE}`
      : 'incident_id in (select incident_id from incident_people'
    parts.push(`account_id = ${given(BigInt(account))}`, `${own} where person_id = ${given(BigInt(person))})`)
  }
  return { sql: parts.length === 0 ? 'true' : parts.join('\n  and '), parameters }
}

/**
 * If `bySurvival` is null, the share of open incidents decides whether the time to resolve is estimated by survival.
 * Both periods of a comparison must use the same estimate. A filter for a person selects only counts.
 */
export function figuresSql(asked: Asked, bySurvival: boolean | null = null): Statement {
  const { sql, parameters } = conditionOf(asked)
  const chosen = `with chosen as (
  select * from ${POPULATION} where ${sql}
)`
  const counts = 'count(*) as incidents, count(*) filter (is_open) as open'
  if (asked.filter.person !== null) return { sql: `${chosen}\nselect ${counts} from chosen`, parameters }
  return {
    parameters,
    sql: `${chosen},
counted as (
  select ${counts}, avg(ack_met::integer) as acknowledged, avg(resolve_met::integer) as resolved,
    count(tta_s) as tta_n, median(tta_s) as tta
  from chosen
),
${resolveOf(bySurvival)}
select counted.*, resolve.closed + if(is_survival, resolve.open, 0) as ttr_n, resolve.median_s as ttr, is_survival
from counted cross join resolve`,
  }
}

const resolveOf = (bySurvival: boolean | null) =>
  `resolve as (select * from resolve_time(of_incidents := 'chosen', by_survival := ${bySurvival}))`

export const timesSql = `with chosen as (select * from incident_facets()), ${resolveOf(null)} select * from resolve`

/** Counts the incidents for each value of a facet, including values that are not selected. */
export function valuesSql(asked: Asked, { name, column }: Facet): Statement {
  const { sql, parameters } = conditionOf(asked, { without: name })
  return {
    parameters,
    sql: `select ${quoteIdentifier(column)}::varchar as value, count(*) as incidents
from ${POPULATION} where ${sql} group by all having value is not null order by incidents desc, value`,
  }
}

/** Counts incidents and pages by person. Selects no durations, so that nobody can compare individuals. */
export function peopleOf(asked: Asked): Statement {
  const { sql, parameters } = conditionOf(asked, { without: 'person' })
  return {
    parameters,
    sql: `with chosen as (
  select rowid as place, account_id, is_open from ${POPULATION} where ${sql}
),
carried as (
  select account_id, person_id, count(*) as incidents, sum(pages)::bigint as pages,
    sum(night_pages)::bigint as nights, count(*) filter (is_open) as open
  from ${PEOPLE} join chosen using (place) group by account_id, person_id
)
select account_id || '.' || person_id as person,
  coalesce(person_name, 'person ' || person_id) as name, incidents, pages, nights, open
from carried
left join person_names using (account_id, person_id)
order by pages desc, incidents desc, name, person`,
  }
}

/** Order of the list: by severity, then newest first. An order by duration would reveal how long individuals took. */
const ORDER = 'severity_rank(incident_severity), start_time desc, account_id, incident_id'

/** Number of incidents on one page of the list. */
export const PAGE = 100

export function pageSql(asked: Asked): Statement {
  const { sql, parameters } = conditionOf(asked)
  return {
    parameters,
    sql: `with page as (
  select * from ${POPULATION} where ${sql} order by ${ORDER} limit ${PAGE} offset ${PAGE * (asked.filter.page - 1)}
)
select *, incident_severity as severity, team_name as team, tta_s as tta
from page left join (select account_id, incident_id, num, detail_url from incidents) using (account_id, incident_id)
order by ${ORDER}`,
  }
}

/** Selects the keys of all incidents that match a filter in any period. A report can then be limited to them. */
export function keysSql(asked: Asked, zone: string): Statement {
  const { sql, parameters } = conditionOf(
    { ...asked, filter: { ...asked.filter, period: EVER } },
    { isKept: false },
  )
  return {
    parameters: { ...parameters, zone },
    sql: `with incidents_found as (
  select *${madeColumns(asked.facets)} from incident_facets(zone := $zone)
)
select account_id, incident_id from incidents_found where ${sql}`,
  }
}

/** Selects all incidents that match a filter. Reads only views, so that `faultline sql` can run the statement too. */
export function listSql(asked: Asked, zone: string): Statement {
  const { sql, parameters } = conditionOf(asked, { isKept: false })
  const { facets, filter } = asked
  const own = facets.flatMap((facet) =>
    dimensionOf(facet) === undefined ? [] : [quoteIdentifier(facet.column)],
  )
  const times = filter.person === null ? ['tta_s', 'time_to_resolve_s', 'lasted_s', 'is_open'] : ['is_open']
  const columns = [
    'account_id, incident_id, num, title, incident_severity, team_name, channel_name',
    ...own,
    'start_time, day, weekday, band, state, is_muted',
    ...times,
    'detail_url',
  ]
  const made = madeColumns(facets)
  return {
    parameters: { ...parameters, zone },
    sql: `with incidents_found as (
  select *${made}, coalesce(time_to_close_s, survival_s) as lasted_s
  from incident_facets(zone := $zone)
)
select ${columns.join(', ')}
from incidents_found
where ${sql}
order by ${ORDER}`,
  }
}

/** Returns the text of a statement with its parameter values filled in, for display only. Never run it. */
export function writtenOut({ sql, parameters }: Statement): string {
  return sql.replace(/\$(\w+)/g, (_, name: string) => valueText(parameters[name] ?? null))
}

function valueText(value: QueryParameters[string]): string {
  if (value instanceof Date) return `timestamptz ${quoteLiteral(value.toISOString())}`
  return typeof value === 'string' ? quoteLiteral(value) : String(value)
}
