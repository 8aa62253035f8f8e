import { createHash } from 'node:crypto'
import { unknownName } from '../errors.ts'
import type { Settings } from '../settings/settings.ts'
import { compileConditions, type Written } from './custom-condition.ts'
import { onDatabase } from './duckdb.ts'
import type { Parser } from './parse-tree.ts'
import { quoteIdentifier, quoteLiteral } from './quote.ts'
import { type ViewFile, withBody } from './view-file.ts'
import { viewFiles } from './views.ts'

/** Parts of `sql/incidents/own-incidents.sql` that custom definitions replace. */
const PLACES = {
  corrections: 'select *, null::varchar[] as corrected from incidents',
  excluded_as: 'null::varchar as excluded_as',
  dimensions: 'null::map(varchar, varchar) as dimensions',
  moments: 'null::map(varchar, timestamptz) as moments',
} as const

type Parts = Partial<Record<keyof typeof PLACES, string>>

/** Returns the files of `sql/`, with custom definitions in `own_incidents`. @throws ConfigError */
export async function filesFor(parser: Parser, settings: Settings): Promise<readonly ViewFile[]> {
  const parts = { ...(await conditionParts(parser, settings)), ...correctionPart(settings) }
  if (Object.keys(parts).length === 0) return viewFiles()
  return viewFiles().map((file) =>
    file.name === 'own_incidents' ? withBody(file, filledIn(file.body, parts)) : file,
  )
}

/** Tables of settings that change figures without changing the rows of `own_incidents`. */
const OWN_TABLES = [
  ...['config_corrections', 'config_automation', 'config_measures'],
  ...['config_own_targets', 'config_working_hours', 'config_working_zones'],
]

/** Returns a key that changes with every custom definition, such as `own_incidents 8ad232aba377`. */
export async function definitionsKey({
  definitions,
  query,
}: {
  definitions: readonly ViewFile[]
  query: (sql: string) => Promise<{ rows: readonly (readonly unknown[])[] }>
}): Promise<string | null> {
  const isOwn = ({ name }: ViewFile) => name === 'own_incidents'
  const body = definitions.find(isOwn)?.body
  const isMade = body !== undefined && body !== viewFiles().find(isOwn)?.body
  const rowsOf = (table: string) =>
    `select ${quoteLiteral(table)} as name, own::varchar as row from ${quoteIdentifier(table)} as own`
  const { rows } = await query(
    `${[...OWN_TABLES, 'config_targets'].map(rowsOf).join(' union all ')} order by all`,
  )
  if (!isMade && rows.every(([table]) => table === 'config_targets')) return null
  const text = JSON.stringify([isMade ? body : null, rows])
  return `own_incidents ${createHash('sha256').update(text).digest('hex').slice(0, 12)}`
}

/** Replaces all parts at once, because a user’s text in one part could look like the placeholder of another part. */
function filledIn(body: string, parts: Parts): string {
  const places = Object.entries(parts).map(([place, sql]) => {
    const text = PLACES[place as keyof Parts]
    const at = body.indexOf(text)
    if (at < 0) throw new Error(`own-incidents.sql lacks the placeholder ${place}`)
    return { at, end: at + text.length, sql }
  })
  const inOrder = places.sort((a, b) => a.at - b.at)
  const pieces = inOrder.map(({ at, sql }, index) => body.slice(inOrder[index - 1]?.end ?? 0, at) + sql)
  return pieces.join('') + body.slice(inOrder.at(-1)?.end ?? 0)
}

function writtenIn({ exclusions, dimensions, measures }: Settings) {
  const moments = measures.flatMap(({ name, from_moment, to_moment, at }) =>
    [from_moment, to_moment].map((text): Written => ({ text, at, of: `reporting.measures.${name}` })),
  )
  const fields = moments.filter(({ text }) => text.startsWith('fields.'))
  return {
    moments: fields.filter(({ text }, place) => fields.findIndex((one) => one.text === text) === place),
    exclusions: exclusions.map(({ where, at, name }): Written => {
      return { text: where, at, of: `reporting.exclude, "${name}"`, gives: 'boolean' }
    }),
    dimensions: dimensions.map(({ name, source, at }): Written => {
      return { text: source, at, of: `reporting.dimensions.${name}` }
    }),
  }
}

async function conditionParts(parser: Parser, settings: Settings): Promise<Parts> {
  const { exclusions, dimensions, moments } = writtenIn(settings)
  const conditions = await compileConditions(parser, exclusions)
  const values = await compileConditions(parser, dimensions)
  const times = await compileConditions(parser, moments)
  const cases = conditions.map(
    ({ sql }, index) => `when ${sql} then ${quoteLiteral(settings.exclusions[index]!.name)}`,
  )
  const map = (names: readonly string[], items: readonly string[]) =>
    `map([${names.map(quoteLiteral).join(', ')}], [${items.join(', ')}])`
  const names = settings.dimensions.map(({ name }) => name)
  const texts = values.map(({ sql }) => `coalesce(nullif(trim((${sql})::varchar), ''), '(none)')`)
  const fields = moments.map(({ text }) => text)
  const instants = times.map(({ sql }) => timeIn(sql))
  return {
    ...(cases.length > 0 && { excluded_as: `case ${cases.join(' ')} end as excluded_as` }),
    ...(texts.length > 0 && { dimensions: `${map(names, texts)} as dimensions` }),
    ...(instants.length > 0 && { moments: `${map(fields, instants)} as moments` }),
  }
}

/** Returns SQL that corrects the incidents, and lists the corrected fields of each incident. */
function correctionPart({ corrections }: Settings): Parts {
  const fields = [...new Set(corrections.map(({ field }) => field))]
  if (fields.length === 0) return {}
  const given = fields.map((field) => {
    const value = `nullif(fixed.by_field[${quoteLiteral(field)}], '')`
    const typed = field.endsWith('_time') ? `${value}::timestamptz` : value
    return `if(list_contains(fixed.names, ${quoteLiteral(field)}), ${typed}, ${quoteIdentifier(field)}) as ${quoteIdentifier(field)}`
  })
  // `progress` decides whether an incident is open, so a corrected close time must change it too.
  const state = fields.includes('close_time')
    ? [
        `case
          when not coalesce(list_contains(fixed.names, 'close_time'), false) then progress
          when nullif(fixed.by_field['close_time'], '') is not null then 'Closed'
          when progress = 'Closed' then 'Processing'
          else progress
        end as progress`,
      ]
    : []
  const fixed = `select incident_id, map(list(field), list(value)) as by_field, list(field order by field) as names
    from config_corrections group by incident_id`
  return {
    corrections: `select incidents.* replace (${[...given, ...state].join(', ')}), fixed.names as corrected
    from incidents left join (${fixed}) as fixed using (incident_id)`,
  }
}

export async function unknownCorrections(parser: Parser, { corrections }: Settings): Promise<string[]> {
  if (corrections.length === 0) return []
  const found = await parser.runAndReadAll(
    'select distinct incident_id from config_corrections anti join incidents using (incident_id)',
  )
  const unknown = new Set(found.getRows().map(([id]) => String(id)))
  return corrections
    .filter(({ incident_id }) => unknown.has(incident_id))
    .map(({ at, incident_id }) => `${at}: unknown incident ${incident_id}`)
}

/** Returns SQL for the time in a custom field. Adds missing seconds, because DuckDB requires them. */
function timeIn(sql: string): string {
  const seconds = `try_cast((${sql})::varchar as double)`
  const whole = String.raw`regexp_replace(trim((${sql})::varchar), '([T ]\d\d:\d\d)(Z|[+-][\d:]+)?$', '\1:00\2')`
  return `coalesce(
      to_timestamp(nullif(if(${seconds} > 1e11, ${seconds} / 1000, ${seconds}), 0)),
      try_cast(${whole} as timestamptz)
    )`
}

/** Returns a message for each custom field of a measure that contains invalid times. */
export async function unreadMoments(parser: Parser, settings: Settings): Promise<string[]> {
  const { moments } = writtenIn(settings)
  const values = await compileConditions(parser, moments)
  const messages: string[] = []
  for (const [index, { sql }] of values.entries()) {
    const found = await parser.runAndReadAll(`
      select count(*), any_value(written order by incident_id)
      from (select incident_id, trim((${sql})::varchar) as written, ${timeIn(sql)} as time from own_incidents)
      where time is null and written not in ('', '0')`)
    const [count, example] = found.getRows()[0]!
    const { of, text } = moments[index]!
    const shown = JSON.stringify(String(example).slice(0, 40))
    if (Number(count) > 0)
      messages.push(`${of}: ${text} is not a valid time in some incidents (${count}), such as ${shown}`)
  }
  return messages
}

/** Checks all conditions without a warehouse. @throws ConfigError that lists every mistake with its position */
export async function checkConditions(settings: Settings): Promise<void> {
  const all = Object.values(writtenIn(settings)).flat()
  if (all.length > 0) await onDatabase(':memory:', {}, (connection) => compileConditions(connection, all))
}

/** Returns a message and a suggestion for each configured label or custom field that no incident has. */
export async function unknownReads(
  parser: Parser,
  settings: Settings,
): Promise<{ text: string; next: string }[]> {
  const all = Object.values(writtenIn(settings)).flat()
  const reads = (await compileConditions(parser, all)).flatMap(({ reads }, index) =>
    reads.map((read) => ({ read, ...all[index]! })),
  )
  if (reads.length === 0) return []
  const keys = (column: string, word: string) =>
    `select distinct ${quoteLiteral(`${word}.`)} || unnest(json_keys(${column})) from incidents`
  const found = await parser.runAndReadAll(`${keys('labels', 'label')} union all ${keys('fields', 'fields')}`)
  const known = found.getRows().map(([key]) => String(key))
  return reads
    .filter(({ read }) => !known.includes(read))
    .map(({ read, at, of }) => ({
      text: `${at}: ${of}: no incident has ${read}`,
      next: unknownName(read, known),
    }))
}

/** Returns what `reporting.automation` can list: ids and names of members, or ids and types of integrations. */
export async function namesOfAutomation(parser: Parser, kind: 'member' | 'integration'): Promise<string[]> {
  const found = await parser.runAndReadAll(
    kind === 'member'
      ? 'select unnest([member_id::varchar, member_name]) from members'
      : 'select distinct unnest([integration_id::varchar, integration_type]) from incidents',
  )
  return found.getRows().map(([name]) => String(name))
}

/** Returns a message for each exclusion that matches no incident. Empty if the warehouse has no incidents. */
export async function idleExclusions(parser: Parser, { exclusions }: Settings): Promise<string[]> {
  if (exclusions.length === 0) return []
  const found = await parser.runAndReadAll('select distinct excluded_as from own_incidents')
  const used = found.getRows().map(([name]) => name)
  if (used.length === 0) return []
  return exclusions
    .filter(({ name }) => !used.includes(name))
    .map(({ at, name }) => `${at}: reporting.exclude, "${name}": excludes no incident`)
}

/** Query for pairs of custom targets that differ although they apply to the same incidents. */
const CONFLICTS = `
  with own as (from config_own_targets),
  places as (select team_name, dimensions, count(*) as incidents from incident_times group by all),
  held as (
    select own.*, team_name, dimensions, incidents
    from places
    join own on value = if(scope = 'team', team_name, dimensions[scope])
  )
  select
    one.severity || ' incidents of ' || one.scope || ' ' || one.value || ' and '
      || other.scope || ' ' || other.value,
    if(one.measure = 'ack', 'acknowledge', 'resolve'),
    sum(one.incidents)
  from held as one
  join held as other
    on one.team_name = other.team_name
    and one.dimensions is not distinct from other.dimensions
    and one.severity = other.severity
    and one.measure = other.measure
    and one.rank < other.rank
  where not one.overrides and not other.overrides
    and (one.target_s is distinct from other.target_s or one.hours is distinct from other.hours)
  group by all
  order by all`

export async function targetConflicts(parser: Parser): Promise<string[]> {
  const found = await parser.runAndReadAll(CONFLICTS)
  return found
    .getRows()
    .map(
      ([which, what, count]) =>
        `${which} have two targets to ${what}. The stricter one applies (incidents in both: ${count})`,
    )
}
