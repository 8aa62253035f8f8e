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
  column('severity', 'VARCHAR', 'Severity to which the target applies.'),
  column('ack_target_s', 'DOUBLE', 'Target for the time to acknowledge, in seconds; NULL if none.'),
  column('resolve_target_s', 'DOUBLE', 'Target for the time to resolve, in seconds; NULL if none.'),
  column('ack_goal', 'DOUBLE', 'Objective: share to acknowledge within the target, 0 to 1.'),
  column('resolve_goal', 'DOUBLE', 'Objective: share to resolve within the target, 0 to 1.'),
  column(
    'ack_hours',
    'VARCHAR',
    'Working hours in which time counts for ack_target_s; NULL means all hours.',
  ),
  column(
    'resolve_hours',
    'VARCHAR',
    'Working hours in which time counts for resolve_target_s; NULL means all hours.',
  ),
]

/** The settings as tables, which views and user SQL can join. */
export const settingsTables: readonly SettingsTable[] = [
  {
    name: 'config_targets',
    description:
      'Targets by severity, in seconds, and the share of incidents that should meet them; NULL if none.',
    columns: aims,
    rows: ({ targets }) => targets,
  },
  {
    name: 'config_own_targets',
    description:
      'Targets for a team or a dimension value, which replace those in config_targets; see targets_for.',
    columns: [
      column('scope', 'VARCHAR', 'What the target applies to: team, or the name of a dimension.'),
      column('value', 'VARCHAR', 'Name of the team, or the dimension value.'),
      column('severity', 'VARCHAR', 'Severity to which the target applies.'),
      column('measure', 'VARCHAR', 'ack or resolve.'),
      column('target_s', 'DOUBLE', 'Target in seconds; NULL removes the target.'),
      column('goal', 'DOUBLE', 'Objective: share that should meet the target, 0 to 1.'),
      column('hours', 'VARCHAR', 'Name of the working hours that the target counts; NULL means all hours.'),
      column('overrides', 'BOOLEAN', 'Whether the target applies even if another one is stricter.'),
      column(
        'rank',
        'BIGINT',
        'If several targets override or are equally strict, the highest rank applies.',
      ),
    ],
    rows: ({ ownTargets }) => ownTargets,
  },
  {
    name: 'config_working_hours',
    description:
      'Named working hours that measures and targets can use, as minutes of the day in local time.',
    columns: [
      column('name', 'VARCHAR', 'Name of the working hours.'),
      column('weekdays', 'BIGINT[]', 'Weekdays to which the minutes apply; 1 is Monday.'),
      column(
        'opens_minute',
        'BIGINT',
        'Minute of the day at which the working hours begin, counted from midnight.',
      ),
      column('closes_minute', 'BIGINT', 'Minute of the day at which they end; 1440 is the end of the day.'),
    ],
    rows: ({ workingHours }) => workingHours,
  },
  {
    name: 'config_working_zones',
    description: 'Time zones of working hours.',
    columns: [
      column('name', 'VARCHAR', 'Name of the working hours.'),
      column('team_name', 'VARCHAR', 'Team; NULL means every team without a zone of its own.'),
      column('timezone', 'VARCHAR', 'IANA time zone.'),
    ],
    rows: ({ workingZones }) => workingZones,
  },
  {
    name: 'config_automation',
    description: 'Members and integrations that are automation; see incident_automation.',
    columns: [
      column('kind', 'VARCHAR', 'member or integration.'),
      column('value', 'VARCHAR', 'Id or name of a member; id or type of an integration.'),
    ],
    rows: ({ automation }) => automation,
  },
  {
    name: 'config_measures',
    description: 'Custom durations between two moments; see incident_measures.',
    columns: [
      column('name', 'VARCHAR', 'Name of the measure in report files.'),
      column('title', 'VARCHAR', 'Display name.'),
      column('from_moment', 'VARCHAR', 'Start of the duration: a column, or fields.NAME.'),
      column('to_moment', 'VARCHAR', 'End of the duration.'),
      column('working_hours', 'VARCHAR', 'Working hours that the duration counts; NULL means all hours.'),
      column('target_s', 'DOUBLE', 'Target: longest permitted duration, in seconds; NULL if none.'),
      column('goal', 'DOUBLE', 'Objective: share that should meet the target, 0 to 1; NULL if none.'),
    ],
    rows: ({ measures }) => measures,
  },
  {
    name: 'config_corrections',
    description: 'Corrections that replace stored values of incidents, and their authors.',
    columns: [
      column('incident_id', 'VARCHAR', 'Corrected incident.'),
      column('field', 'VARCHAR', 'Corrected column of incidents.'),
      column('value', 'VARCHAR', 'Corrected value; an empty text means NULL.'),
      column('who', 'VARCHAR', 'Author of the correction.'),
      column('why', 'VARCHAR', 'Reason for the correction.'),
    ],
    rows: ({ corrections }) => corrections,
  },
  {
    name: 'config_bands',
    description:
      'Hour bands in local time, from from_hour up to but excluding to_hour. Every hour is in a band; if it is in several, the lowest rank applies.',
    columns: [
      column('band', 'VARCHAR', 'work, sleep or off.'),
      column('weekdays', 'BIGINT[]', 'Weekdays to which the band applies; 1 is Monday.'),
      column('from_hour', 'BIGINT', 'First hour of the band, in local time.'),
      column('to_hour', 'BIGINT', 'First hour after the band.'),
      column('rank', 'BIGINT', 'If several bands contain an hour, the lowest rank applies.'),
    ],
    rows: ({ bands }) => bands,
  },
  {
    name: 'config_holidays',
    description: 'Local days on which nobody works.',
    columns: [column('day', 'DATE', 'Local day.'), column('name', 'VARCHAR', 'Name of the holiday.')],
    rows: ({ holidays }) => holidays,
  },
  {
    name: 'config_person_zones',
    description: 'Time zones of people whose zone differs from that of the account.',
    columns: [column('person_id', 'BIGINT', 'Member.'), column('timezone', 'VARCHAR', 'IANA time zone.')],
    rows: ({ personZones }) => personZones,
  },
  {
    name: 'config_on_call',
    description: 'On-call hours per week, by team. If two people are on call at the same time, both count.',
    columns: [
      column('team_name', 'VARCHAR', 'Team.'),
      column('hours_per_week', 'DOUBLE', 'Hours per week; 168 means that one person is always on call.'),
    ],
    rows: ({ onCall }) => onCall,
  },
  {
    name: 'config_events',
    description:
      'Events such as a new rota. Charts mark them, and event_changes compares the figures before and after them.',
    columns: [
      column('name', 'VARCHAR', 'Name of the event.'),
      column('day', 'DATE', 'Local day of the event.'),
      column('timezone', 'VARCHAR', 'IANA time zone of the day, from the configuration.'),
      column('team_names', 'VARCHAR[]', 'Affected teams; NULL means all teams.'),
    ],
    rows: ({ events }) => events,
  },
  {
    name: 'config_policies',
    description:
      'Policies by name. ack: what counts as an acknowledgement (exclude, close_counts or first_action). cohort: which incidents belong to a period (started or closed).',
    columns: [column('name', 'VARCHAR', 'ack or cohort.'), column('value', 'VARCHAR', 'Configured value.')],
    rows: ({ policies }) => policies,
  },
  {
    name: 'config_thresholds',
    description:
      'Thresholds by name: minimum sample sizes, noise, data-quality warnings and errors. A name ends in _s (seconds), _n (a count) or _share (0 to 1); hourly_cost is the cost of an hour of a person. A disabled threshold has no row.',
    columns: [
      column('name', 'VARCHAR', 'Name of the threshold.'),
      column('value', 'DOUBLE', 'Value of the threshold.'),
    ],
    rows: ({ thresholds }) => thresholds,
  },
  {
    name: 'config_exclusions',
    description:
      'Rules that exclude incidents from every figure, in the order in which they are tested; see own_incidents.',
    columns: [
      column(
        'rank',
        'BIGINT',
        'If several rules match an incident, the one with the lowest rank excludes it.',
      ),
      column('name', 'VARCHAR', 'Display name.'),
      column('condition', 'VARCHAR', 'Condition for the incidents to exclude, as configured.'),
      column('reason', 'VARCHAR', 'Reason for the exclusion; NULL if none is configured.'),
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
    description:
      'Additional dimensions for grouping incidents, besides team and severity; see incident_times.dimensions.',
    columns: [
      column('name', 'VARCHAR', 'Name of the dimension.'),
      column('source', 'VARCHAR', 'Source of its value, as configured.'),
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
