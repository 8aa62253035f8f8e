import { flag, integer, integers, text, texts } from '../resources/resource.ts'
import { defaultSettings, type Settings } from '../settings/settings.ts'
import { quoteIdentifier, quoteIdentifiers, quoteLiteral } from './quote.ts'
import { commentOn, type TableColumn } from './tables.ts'
import type { Statements } from './views.ts'

type Value = string | number | boolean | null | readonly (number | string)[]

interface SettingsTable {
  readonly name: string
  readonly description: string
  readonly columns: readonly Required<TableColumn>[]
  /** Returns the rows as objects whose fields are named after the columns. */
  rows(settings: Settings): readonly object[]
}

const double = (name: string, meaning: string) => ({ name, type: 'DOUBLE', meaning })
const day = (name: string, meaning: string) => ({ name, type: 'DATE', meaning })

const aims = [
  text('severity', 'Severity to which the target applies.'),
  double('ack_target_s', 'Target for the time to acknowledge, in seconds; NULL if none.'),
  double('resolve_target_s', 'Target for the time to resolve, in seconds; NULL if none.'),
  double('ack_goal', 'Objective: share to acknowledge within the target, 0 to 1.'),
  double('resolve_goal', 'Objective: share to resolve within the target, 0 to 1.'),
  text('ack_hours', 'Working hours in which time counts for ack_target_s; NULL means all hours.'),
  text('resolve_hours', 'Working hours in which time counts for resolve_target_s; NULL means all hours.'),
]

/** The tables that contain the settings, so that views and the user's SQL can join them. */
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
      text('scope', 'What the target applies to: team, or the name of a dimension.'),
      text('value', 'Name of the team, or the dimension value.'),
      text('severity', 'Severity to which the target applies.'),
      text('measure', 'ack or resolve.'),
      double('target_s', 'Target in seconds; NULL removes the target.'),
      double('goal', 'Objective: share that should meet the target, 0 to 1.'),
      text('hours', 'Name of the working hours that the target counts; NULL means all hours.'),
      flag('overrides', 'Whether the target applies even if another one is stricter.'),
      integer('rank', 'If several targets override or are equally strict, the highest rank applies.'),
    ],
    rows: ({ ownTargets }) => ownTargets,
  },
  {
    name: 'config_working_hours',
    description:
      'Named working hours that measures and targets can use, as minutes of the day in local time.',
    columns: [
      text('name', 'Name of the working hours.'),
      integers('weekdays', 'Weekdays to which the minutes apply; 1 is Monday.'),
      integer('opens_minute', 'Minute of the day at which the working hours begin, counted from midnight.'),
      integer('closes_minute', 'Minute of the day at which they end; 1440 is the end of the day.'),
    ],
    rows: ({ workingHours }) => workingHours,
  },
  {
    name: 'config_working_zones',
    description: 'Time zones of working hours.',
    columns: [
      text('name', 'Name of the working hours.'),
      text('team_name', 'Team; NULL means every team without a zone of its own.'),
      text('timezone', 'IANA time zone.'),
    ],
    rows: ({ workingZones }) => workingZones,
  },
  {
    name: 'config_automation',
    description: 'Members and integrations that are automation; see incident_automation.',
    columns: [
      text('kind', 'member or integration.'),
      text('value', 'Id or name of a member; id or type of an integration.'),
    ],
    rows: ({ automation }) => automation,
  },
  {
    name: 'config_measures',
    description: 'Custom durations between two moments; see incident_measures.',
    columns: [
      text('name', 'Name of the measure in report files.'),
      text('title', 'Display name.'),
      text('from_moment', 'Start of the duration: a column, or fields.NAME.'),
      text('to_moment', 'End of the duration.'),
      text('working_hours', 'Working hours that the duration counts; NULL means all hours.'),
      double('target_s', 'Target: longest permitted duration, in seconds; NULL if none.'),
      double('goal', 'Objective: share that should meet the target, 0 to 1; NULL if none.'),
    ],
    rows: ({ measures }) => measures,
  },
  {
    name: 'config_corrections',
    description: 'Corrections that replace stored values of incidents, and their authors.',
    columns: [
      text('incident_id', 'Corrected incident.'),
      text('field', 'Corrected column of incidents.'),
      text('value', 'Corrected value; an empty text means NULL.'),
      text('who', 'Author of the correction.'),
      text('why', 'Reason for the correction.'),
    ],
    rows: ({ corrections }) => corrections,
  },
  {
    name: 'config_bands',
    description:
      'Hour bands in local time, from from_hour up to but excluding to_hour. Every hour is in a band; if it is in several, the lowest rank applies.',
    columns: [
      text('band', 'work, sleep or off.'),
      integers('weekdays', 'Weekdays to which the band applies; 1 is Monday.'),
      integer('from_hour', 'First hour of the band, in local time.'),
      integer('to_hour', 'First hour after the band.'),
      integer('rank', 'If several bands contain an hour, the lowest rank applies.'),
    ],
    rows: ({ bands }) => bands,
  },
  {
    name: 'config_holidays',
    description: 'Local days on which nobody works.',
    columns: [day('day', 'Local day.'), text('name', 'Name of the holiday.')],
    rows: ({ holidays }) => holidays,
  },
  {
    name: 'config_person_zones',
    description: 'Time zones of people whose zone differs from that of the account.',
    columns: [integer('person_id', 'Member.'), text('timezone', 'IANA time zone.')],
    rows: ({ personZones }) => personZones,
  },
  {
    name: 'config_on_call',
    description: 'On-call hours per week, by team. If two people are on call at the same time, both count.',
    columns: [
      text('team_name', 'Team.'),
      double('hours_per_week', 'Hours per week; 168 means that one person is always on call.'),
    ],
    rows: ({ onCall }) => onCall,
  },
  {
    name: 'config_events',
    description:
      'Events such as a new rota. Charts mark them, and event_changes compares the figures before and after them.',
    columns: [
      text('name', 'Name of the event.'),
      day('day', 'Local day of the event.'),
      text('timezone', 'IANA time zone of the day, from the configuration.'),
      texts('team_names', 'Affected teams; NULL means all teams.'),
    ],
    rows: ({ events }) => events,
  },
  {
    name: 'config_policies',
    description:
      'Policies by name. ack: what counts as an acknowledgement (exclude, close_counts or first_action). cohort: which incidents belong to a period (started or closed).',
    columns: [text('name', 'ack or cohort.'), text('value', 'Configured value.')],
    rows: ({ policies }) => policies,
  },
  {
    name: 'config_thresholds',
    description:
      'Thresholds by name: minimum sample sizes, noise, data-quality warnings and errors. A name ends in _s (seconds), _n (a count) or _share (0 to 1); hourly_cost is the cost of an hour of a person. A disabled threshold has no row.',
    columns: [text('name', 'Name of the threshold.'), double('value', 'Value of the threshold.')],
    rows: ({ thresholds }) => thresholds,
  },
  {
    name: 'config_exclusions',
    description:
      'Rules that exclude incidents from every figure, in the order in which they are tested; see own_incidents.',
    columns: [
      integer('rank', 'If several rules match an incident, the one with the lowest rank excludes it.'),
      text('name', 'Display name.'),
      text('condition', 'Condition for the incidents to exclude, as configured.'),
      text('reason', 'Reason for the exclusion; NULL if none is configured.'),
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
    columns: [text('name', 'Name of the dimension.'), text('source', 'Source of its value, as configured.')],
    rows: ({ dimensions }) => dimensions,
  },
]

/** Without `settings`, a file keeps its stored settings, and a new file gets the defaults. */
export async function createSettings(connection: Statements, settings?: Settings): Promise<void> {
  const create = settings ? 'create or replace table' : 'create table if not exists'
  for (const table of settingsTables) {
    const described = commentOn('table', table.name, table.description, table.columns)
    await connection.run([statementOf(create, table, settings ?? defaultSettings), ...described].join(';\n'))
  }
}

/** Returns statements for temporary tables that shadow the stored settings in one session. */
export function temporarySettings(settings: Settings): string[] {
  return settingsTables.map((table) => statementOf('create or replace temp table', table, settings))
}

function statementOf(create: string, { name, columns, rows }: SettingsTable, settings: Settings): string {
  const given = rows(settings) as readonly Record<string, Value>[]
  const names = columns.map((column) => column.name)
  const cells = columns.map(
    ({ name, type }) => `${quoteIdentifier(name)}::${type} as ${quoteIdentifier(name)}`,
  )
  // An empty table still needs one row of nulls to define its columns. `limit 0` drops the row.
  const values = (given.length > 0 ? given : [{}]).map(
    (row: Record<string, Value>) => `(${names.map((name) => sqlOf(row[name] ?? null)).join(', ')})`,
  )
  return `${create} ${quoteIdentifier(name)} as select ${cells.join(', ')} from (values ${values.join(', ')})
    as given (${quoteIdentifiers(names)})${given.length > 0 ? '' : ' limit 0'}`
}

function sqlOf(value: Value): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return quoteLiteral(value)
  return typeof value === 'object' ? `[${value.map(sqlOf).join(', ')}]` : String(value)
}
