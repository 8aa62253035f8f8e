import { defaultSettings, type Settings } from '../../config/settings.ts'
import { literal, name, names } from '../quote.ts'
import type { TableColumn } from './tables.ts'
import type { Statements } from './views.ts'

type Value = string | number | null | readonly number[]

interface SettingsTable {
  readonly name: string
  readonly description: string
  readonly columns: readonly Required<TableColumn>[]
  /** Their fields are named as the columns. */
  rows(settings: Settings): readonly object[]
}

const column = (name: string, type: string, meaning: string) => ({ name, type, meaning })

/** The settings as tables, so that views and SQL of users can join them. */
export const settingsTables: readonly SettingsTable[] = [
  {
    name: 'config_targets',
    description:
      'Targets by severity, in seconds, and the share of incidents that is to keep them; NULL is none.',
    columns: [
      column('severity', 'VARCHAR', 'Severity the target is for.'),
      column('ack_target_s', 'DOUBLE', 'Acknowledged within, seconds; NULL is none.'),
      column('resolve_target_s', 'DOUBLE', 'Resolved within, seconds; NULL is none.'),
      column('ack_goal', 'DOUBLE', 'Share that is to be acknowledged in time, 0 to 1.'),
      column('resolve_goal', 'DOUBLE', 'Share that is to be resolved in time, 0 to 1.'),
    ],
    rows: ({ targets }) => targets,
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
]

/**
 * Makes the tables with the settings and nothing else in them. Without settings a file keeps its own, and a new one
 * gets the defaults.
 */
export async function createSettings(connection: Statements, settings?: Settings): Promise<void> {
  for (const table of settingsTables) {
    const create = settings ? 'create or replace table' : 'create table if not exists'
    await connection.run(statementOf(create, table, settings ?? defaultSettings))
    await connection.run(`comment on table ${name(table.name)} is ${literal(table.description)}`)
    for (const { name: column, meaning } of table.columns) {
      await connection.run(`comment on column ${name(table.name)}.${name(column)} is ${literal(meaning)}`)
    }
  }
}

/** Statements that put temporary tables with these settings before those of the file, for one session. */
export function temporarySettings(settings: Settings): string[] {
  return settingsTables.map((table) => statementOf('create or replace temp table', table, settings))
}

function statementOf(create: string, table: SettingsTable, settings: Settings): string {
  const rows = table.rows(settings)
  const cells = table.columns.map((column) => `${name(column.name)}::${column.type} as ${name(column.name)}`)
  // Without rows, one of nulls gives the columns and is not kept.
  const values = (rows.length > 0 ? rows : [{}]).map((row) => {
    const cells = table.columns.map((column) => sqlOf((row as Record<string, Value>)[column.name] ?? null))
    return `(${cells.join(', ')})`
  })
  return `${create} ${name(table.name)} as select ${cells.join(', ')} from (values ${values.join(', ')}) as given (${names(
    table.columns.map((column) => column.name),
  )})${rows.length > 0 ? '' : ' limit 0'}`
}

function sqlOf(value: Value): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return literal(value)
  return typeof value === 'number' ? String(value) : `[${value.join(', ')}]`
}
