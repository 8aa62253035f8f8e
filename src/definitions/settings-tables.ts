import { defaultSettings, type Settings } from '../settings/settings.ts'
import { quoteIdentifier, quoteIdentifiers, quoteLiteral } from './quote.ts'
import type { TableColumn } from './tables.ts'
import type { Statements } from './views.ts'

type Value = string | number | boolean | null | readonly (number | string)[]

interface SettingsTable {
  readonly name: string
  readonly description: string
  readonly columns: readonly Required<TableColumn>[]
  /** Rows with the columns as fields. */
  rows(settings: Settings): readonly object[]
}

const column = (name: string, type: string, meaning: string) => ({ name, type, meaning })

const aims = [
  column('severity', 'VARCHAR', 'Severity the target is for.'),
  column('ack_target_s', 'DOUBLE', 'Acknowledged within, seconds; NULL is none.'),
  column('resolve_target_s', 'DOUBLE', 'Resolved within, seconds; NULL is none.'),
  column('ack_goal', 'DOUBLE', 'Share that is to be acknowledged in time, 0 to 1.'),
  column('resolve_goal', 'DOUBLE', 'Share that is to be resolved in time, 0 to 1.'),
  column('ack_hours', 'VARCHAR', 'Working hours that alone count for ack_target_s; NULL is all hours.'),
  column(
    'resolve_hours',
    'VARCHAR',
    'Working hours that alone count for resolve_target_s; NULL is all hours.',
  ),
]

function isDefault(target: Settings['targets'][number]): boolean {
  const known = defaultSettings.targets.find(({ severity }) => severity === target.severity)
  return (
    known !== undefined &&
    !target.ack_hours &&
    !target.resolve_hours &&
    (Object.keys(known) as (keyof typeof known)[]).every((field) => known[field] === target[field])
  )
}

/** The settings as tables, which views and user SQL can join. */
export const settingsTables: readonly SettingsTable[] = [
  {
    name: 'config_targets',
    description:
      'Targets by severity, in seconds, and the share of incidents that is to keep them; NULL is none.',
    columns: [...aims, column('is_default', 'BOOLEAN', 'All of these are what holds where nobody sets any.')],
    rows: ({ targets }) => targets.map((one) => ({ ...one, is_default: isDefault(one) })),
  },
  {
    name: 'config_own_targets',
    description:
      'Targets of a team or of a value of a dimension, which replace those of config_targets; see targets_for.',
    columns: [
      column('scope', 'VARCHAR', 'What the value is of: team, or the name of a dimension.'),
      column('value', 'VARCHAR', 'The team, or the value.'),
      column('severity', 'VARCHAR', 'Severity the target is for.'),
      column('measure', 'VARCHAR', 'ack or resolve.'),
      column('target_s', 'DOUBLE', 'Seconds; NULL takes the target away.'),
      column('goal', 'DOUBLE', 'Share that is to be in time, 0 to 1.'),
      column('hours', 'VARCHAR', 'Working hours that alone count, by their name; NULL is all hours.'),
      column('overrides', 'BOOLEAN', 'Holds also where another one is stricter.'),
      column('rank', 'BIGINT', 'Of several that override, or are equally strict, the highest holds.'),
    ],
    rows: ({ ownTargets }) => ownTargets,
  },
  {
    name: 'config_working_hours',
    description:
      'Working hours by their name, that measures and targets count by: minutes of days of the local clock.',
    columns: [
      column('name', 'VARCHAR', 'What they are called.'),
      column('weekdays', 'BIGINT[]', 'Weekdays of the minutes; 1 is Monday.'),
      column('opens_minute', 'BIGINT', 'First minute of the day.'),
      column('closes_minute', 'BIGINT', 'First minute after it; 1440 is midnight.'),
    ],
    rows: ({ workingHours }) => workingHours,
  },
  {
    name: 'config_working_zones',
    description: 'By which clock working hours go.',
    columns: [
      column('name', 'VARCHAR', 'Working hours.'),
      column('team_name', 'VARCHAR', 'Team; NULL is all that have no zone of their own.'),
      column('timezone', 'VARCHAR', 'IANA time zone.'),
    ],
    rows: ({ workingZones }) => workingZones,
  },
  {
    name: 'config_automation',
    description: 'Who is no person; see incident_automation.',
    columns: [
      column('kind', 'VARCHAR', 'member or integration.'),
      column('value', 'VARCHAR', 'Id or name of a member; id or type of an integration.'),
    ],
    rows: ({ automation }) => automation,
  },
  {
    name: 'config_measures',
    description: 'Durations of the company between two moments; see incident_measures.',
    columns: [
      column('name', 'VARCHAR', 'What reports call it by.'),
      column('title', 'VARCHAR', 'What pages call it.'),
      column('from_moment', 'VARCHAR', 'Where the clock starts: a column, or fields.NAME.'),
      column('to_moment', 'VARCHAR', 'Where it ends.'),
      column('working_hours', 'VARCHAR', 'Working hours that alone count; NULL is all hours.'),
      column('target_s', 'DOUBLE', 'How long it may take, seconds; NULL is no target.'),
      column('goal', 'DOUBLE', 'Share that is to keep the target, 0 to 1; NULL is none.'),
    ],
    rows: ({ measures }) => measures,
  },
  {
    name: 'config_corrections',
    description: 'What incidents have in the place of what was read, and who says so.',
    columns: [
      column('incident_id', 'VARCHAR', 'Incident.'),
      column('field', 'VARCHAR', 'Column of incidents.'),
      column('value', 'VARCHAR', 'What it is to be; empty is NULL.'),
      column('who', 'VARCHAR', 'Who corrected it.'),
      column('why', 'VARCHAR', 'Why.'),
    ],
    rows: ({ corrections }) => corrections,
  },
  {
    name: 'config_bands',
    description:
      'Hour bands of the local clock: from_hour up to, not including, to_hour on those weekdays (1 is Monday). The lowest rank wins; every hour is in one.',
    columns: [
      column('band', 'VARCHAR', 'work, sleep or off.'),
      column('weekdays', 'BIGINT[]', 'Weekdays it holds on; 1 is Monday.'),
      column('from_hour', 'BIGINT', 'First hour of the local clock.'),
      column('to_hour', 'BIGINT', 'First hour after it.'),
      column('rank', 'BIGINT', 'The lowest wins where several hold an hour.'),
    ],
    rows: ({ bands }) => bands,
  },
  {
    name: 'config_holidays',
    description: 'Local days on which nobody works.',
    columns: [column('day', 'DATE', 'Local day.'), column('name', 'VARCHAR', 'What it is called.')],
    rows: ({ holidays }) => holidays,
  },
  {
    name: 'config_person_zones',
    description: 'IANA time zone of a person, where it is not the one of the account.',
    columns: [column('person_id', 'BIGINT', 'Member.'), column('timezone', 'VARCHAR', 'IANA time zone.')],
    rows: ({ personZones }) => personZones,
  },
  {
    name: 'config_on_call',
    description: 'Hours a week that somebody of a team is on call; two people at once count twice.',
    columns: [
      column('team_name', 'VARCHAR', 'Team.'),
      column('hours_per_week', 'DOUBLE', 'Hours a week; 168 is always one person.'),
    ],
    rows: ({ onCall }) => onCall,
  },
  {
    name: 'config_events',
    description:
      'What happened, such as a new rota: charts show it, and event_changes says what changed since.',
    columns: [
      column('name', 'VARCHAR', 'What it is called.'),
      column('day', 'DATE', 'Its local day.'),
      column('timezone', 'VARCHAR', 'IANA time zone of that day: that of the configuration.'),
      column('team_names', 'VARCHAR[]', 'Teams that it touched; NULL is all.'),
    ],
    rows: ({ events }) => events,
  },
  {
    name: 'config_policies',
    description:
      'Choices by name: ack is what counts as an acknowledgement (exclude, close_counts, first_action), cohort which incidents belong to a period (started, closed).',
    columns: [column('name', 'VARCHAR', 'ack or cohort.'), column('value', 'VARCHAR', 'What was chosen.')],
    rows: ({ policies }) => policies,
  },
  {
    name: 'config_thresholds',
    description:
      'Limits by name: from when a figure is shown, what is noise, and what of data quality is a warning or an error. _s is seconds, _n a count, _share a part of 1, hourly_cost what an hour of a person costs; a limit that is switched off has no row.',
    columns: [column('name', 'VARCHAR', 'Name of the limit.'), column('value', 'DOUBLE', 'The limit.')],
    rows: ({ thresholds }) => thresholds,
  },
  {
    name: 'config_exclusions',
    description:
      'What leaves incidents out of every figure, in the order in which it is asked; see own_incidents.',
    columns: [
      column('rank', 'BIGINT', 'The lowest that holds leaves an incident out.'),
      column('name', 'VARCHAR', 'What pages call it.'),
      column('condition', 'VARCHAR', 'Of which incidents, as it was written.'),
      column('reason', 'VARCHAR', 'Why; NULL where nobody says.'),
    ],
    rows: ({ exclusions }) =>
      exclusions.map(({ name, where, reason }, index) => ({
        rank: index + 1,
        name,
        condition: where,
        reason,
      })),
  },
  {
    name: 'config_dimensions',
    description: 'By what incidents are told apart beside team and severity; see incident_times.dimensions.',
    columns: [
      column('name', 'VARCHAR', 'Name of the dimension.'),
      column('source', 'VARCHAR', 'What gives its value, as it was written.'),
    ],
    rows: ({ dimensions }) => dimensions,
  },
]

/** Creates the settings tables. If no settings are given, a file keeps its own and a new file gets the defaults. */
export async function createSettings(connection: Statements, settings?: Settings): Promise<void> {
  for (const table of settingsTables) {
    const create = settings ? 'create or replace table' : 'create table if not exists'
    await connection.run(statementOf(create, table, settings ?? defaultSettings))
    await connection.run(
      `comment on table ${quoteIdentifier(table.name)} is ${quoteLiteral(table.description)}`,
    )
    for (const { name: column, meaning } of table.columns) {
      await connection.run(
        `comment on column ${quoteIdentifier(table.name)}.${quoteIdentifier(column)} is ${quoteLiteral(meaning)}`,
      )
    }
  }
}

/** Returns statements for temporary tables that shadow the stored settings in one session. */
export function temporarySettings(settings: Settings): string[] {
  return settingsTables.map((table) => statementOf('create or replace temp table', table, settings))
}

function statementOf(create: string, table: SettingsTable, settings: Settings): string {
  const rows = table.rows(settings)
  const cells = table.columns.map(
    (column) => `${quoteIdentifier(column.name)}::${column.type} as ${quoteIdentifier(column.name)}`,
  )
  // An empty table still needs one row of nulls to define its columns. `limit 0` drops the row.
  const values = (rows.length > 0 ? rows : [{}]).map((row) => {
    const cells = table.columns.map((column) => sqlOf((row as Record<string, Value>)[column.name] ?? null))
    return `(${cells.join(', ')})`
  })
  return `${create} ${quoteIdentifier(table.name)} as select ${cells.join(', ')} from (values ${values.join(', ')}) as given (${quoteIdentifiers(
    table.columns.map((column) => column.name),
  )})${rows.length > 0 ? '' : ' limit 0'}`
}

function sqlOf(value: Value): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return quoteLiteral(value)
  return typeof value === 'object' ? `[${value.map(sqlOf).join(', ')}]` : String(value)
}
