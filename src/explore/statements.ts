import { quoteIdentifier, quoteLiteral } from '../definitions/quote.ts'
import type { QueryParameters } from '../warehouse/read/bind.ts'
import { dimensionOf, type Facet } from './facets.ts'
import { EVER, type Filter } from './filter.ts'
import type { Days } from './period-range.ts'

/** A statement with the values that it names: what an address says is never a part of its text. */
export interface Statement {
  readonly sql: string
  readonly parameters: QueryParameters
}

/** The incidents that a session keeps, and who was given them. */
export const POPULATION = 'explored'
export const PEOPLE = 'explored_people'

/** Everything that is asked of an incident: what is kept, so that a click reads no more than it has to. */
export function populationSql(facets: readonly Facet[]): string {
  return `select
  account_id, incident_id, start_time, day, incident_severity, team_name, channel_name${dimensionColumns(facets)},
  state, band, weekday::utinyint as weekday, title, is_open, is_muted, is_handled_by_people, close_type,
  tta_s, time_to_resolve_s, survival_s, coalesce(time_to_close_s, survival_s) as lasted_s
from incident_facets(zone := $zone)`
}

/** Who was given which of the kept incidents, by their places. */
export const peopleSql = `select ${POPULATION}.rowid::integer as place, person_id, pages::integer as pages,
  night_pages::integer as night_pages
from incident_people join ${POPULATION} using (account_id, incident_id)`

/** The first day that has an incident. */
export const firstDaySql = `select min(day)::varchar from ${POPULATION} having min(day) is not null`

/** The values that incidents have of a facet. */
export const knownSql = ({ column }: Facet) =>
  `select distinct ${quoteIdentifier(column)}::varchar from ${POPULATION} where ${quoteIdentifier(column)} is not null`

/** The columns of dimensions, each with a comma in front. */
function dimensionColumns(facets: readonly Facet[]): string {
  return facets
    .flatMap((facet) => dimensionOf(facet) ?? [])
    .map((one) => `, dimensions[${quoteLiteral(one)}] as ${quoteIdentifier(`dimension.${one}`)}`)
    .join('')
}

/** What is asked for: a filter, with the days that its period has. */
export interface Asked {
  readonly filter: Filter
  readonly days: Days
  readonly facets: readonly Facet[]
  /** When the data was read: a period that is not over ends there. */
  readonly asOf: Date
}

/**
 * The incidents of a filter as a condition.
 * @param how.without a facet that is left out of it: its own values are counted as if none were chosen
 * @param how.isKept of what a session keeps; else of what a file has
 */
function conditionOf(
  { filter, days, facets, asOf }: Asked,
  { without = '', isKept = true }: { without?: string; isKept?: boolean } = {},
): Statement {
  const parameters: Record<string, QueryParameters[string]> = {}
  const given = (value: QueryParameters[string]) => {
    const name = `value_${Object.keys(parameters).length + 1}`
    parameters[name] = value
    return `$${name}`
  }
  const parts: string[] = []
  if (filter.period !== EVER) {
    parts.push(`day >= ${given(days.from)}::date`, `day < ${given(days.to)}::date`)
    if (days.isOpen) parts.push(`start_time <= ${given(asOf)}`)
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

/** How many, how many of them are open, and their times. Of a person's incidents no time is worked out. */
export function figuresSql(asked: Asked): Statement {
  const { sql, parameters } = conditionOf(asked)
  const chosen = `with chosen as (
  select * from ${POPULATION} where ${sql}
)`
  const counts = 'count(*) as incidents, count(*) filter (is_open) as open'
  if (asked.filter.person !== null) return { sql: `${chosen}\nselect ${counts} from chosen`, parameters }
  return {
    parameters,
    sql: `${chosen},
counted as (select ${counts} from chosen),
${TIMES}
select incidents, counted.open, coalesce(answered.n, 0) as tta_n, answered.median_s as tta,
  answered.median_low_s as tta_low, answered.median_high_s as tta_high,
  resolved.closed + if(is_survival, resolved.open, 0) as ttr_n, resolved.median_s as ttr,
  resolved.median_low_s as ttr_low, resolved.median_high_s as ttr_high, resolved.rule
from counted cross join resolved left join answered on true`,
  }
}

/** The times of the relation `chosen`. */
const TIMES = `tta as (select 'tta' as series, tta_s as seconds, 1 as n from chosen),
answered as (select * from duration_figures(of_durations := 'tta')),
resolved as (select * from resolve_time(of_incidents := 'chosen'))`

/** Reads what times are made of, so that their rules are found. */
export const timesSql = `with chosen as (select * from incident_facets()), ${TIMES} select * from answered, resolved`

/** The values of a facet with their numbers, whatever of it is chosen. */
export function valuesSql(asked: Asked, { name, column }: Facet): Statement {
  const { sql, parameters } = conditionOf(asked, { without: name })
  return {
    parameters,
    sql: `select ${quoteIdentifier(column)}::varchar as value, count(*) as incidents
from ${POPULATION} where ${sql} group by all having value is not null order by incidents desc, value`,
  }
}

/** Everybody who was given one of the incidents, by name: what they carry, and no time. */
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
order by lower(name), name, person`,
  }
}

/** How many in each day, week or month; those without any too. */
export function historySql(asked: Asked, unit: 'day' | 'week' | 'month'): Statement {
  const { sql, parameters } = conditionOf(asked)
  return {
    parameters: { ...parameters, first: asked.days.from, past: asked.days.to },
    sql: `with counted as (
  select date_trunc('${unit}', day)::date as ${unit}, count(*) as incidents
  from ${POPULATION} where ${sql} group by all
)
select ${unit}, coalesce(incidents, 0) as incidents
from (
  select unnest(range(
    date_trunc('${unit}', $first::date)::timestamp, $past::date::timestamp, interval 1 ${unit}
  ))::date as ${unit}
)
left join counted using (${unit})
order by ${unit}`,
  }
}

/** The order of a list, complete and without a time of anybody: the worst severity first, then the newest. */
const ORDER = 'severity_rank(incident_severity), start_time desc, account_id, incident_id'

export const PAGE = 100

/** One page of the list. */
export function pageSql(asked: Asked): Statement {
  const { sql, parameters } = conditionOf(asked)
  return {
    parameters,
    sql: `with page as (
  select * from ${POPULATION} where ${sql} order by ${ORDER} limit ${PAGE} offset ${PAGE * (asked.filter.page - 1)}
)
select *, incident_severity as severity
from page left join (select account_id, incident_id, num, detail_url from incidents) using (account_id, incident_id)
order by ${ORDER}`,
  }
}

/** What is kept of the incidents of a filter, of all times, where a report is to be of them alone. */
export function keysSql(asked: Asked, zone: string): Statement {
  const { sql, parameters } = conditionOf(
    { ...asked, filter: { ...asked.filter, period: EVER } },
    { isKept: false },
  )
  return {
    parameters: { ...parameters, zone },
    sql: `with incidents_found as (
  select *${dimensionColumns(asked.facets)} from incident_facets(zone := $zone)
)
select account_id, incident_id from incidents_found where ${sql}`,
  }
}

/** All incidents of a filter by what every session has: their file, and what is shown to be pasted. */
export function listSql(asked: Asked, zone: string): Statement {
  const { sql, parameters } = conditionOf(asked, { isKept: false })
  const { facets, filter } = asked
  const own = facets.flatMap((facet) =>
    dimensionOf(facet) === undefined ? [] : [quoteIdentifier(facet.column)],
  )
  const times = filter.person === null ? ['tta_s', 'time_to_resolve_s', 'lasted_s', 'is_open'] : ['is_open']
  const columns = [
    ...['account_id', 'incident_id', 'num', 'title', 'incident_severity', 'team_name', 'channel_name'],
    ...own,
    ...['start_time', 'day', 'weekday', 'band', 'state', 'is_muted'],
    ...times,
    'detail_url',
  ]
  const made = dimensionColumns(facets)
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

/** A statement with its values in it, for people to paste; only for that. */
export function writtenOut({ sql, parameters }: Statement): string {
  return sql.replace(/\$(\w+)/g, (_, name: string) => valueText(parameters[name] ?? null))
}

function valueText(value: QueryParameters[string]): string {
  if (value instanceof Date) return `timestamptz ${quoteLiteral(value.toISOString())}`
  return typeof value === 'string' ? quoteLiteral(value) : String(value)
}
