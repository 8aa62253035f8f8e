/** Columns that conditions can use: those known when an incident starts, so that its outcome cannot exclude it. */
export const CONDITION_COLUMNS: Readonly<Record<string, Kind>> = {
  account_id: 'number',
  account_time_zone: 'text',
  channel_id: 'number',
  channel_name: 'text',
  created_at: 'time',
  creator_id: 'number',
  dedup_key: 'text',
  incident_id: 'text',
  incident_severity: 'text',
  integration_id: 'number',
  integration_type: 'text',
  start_time: 'time',
  team_id: 'number',
  team_name: 'text',
  title: 'text',
}

/** Kind of a value. `any` is the kind of NULL, which can be compared with every kind. */
export type Kind = 'text' | 'number' | 'boolean' | 'time' | 'any'

/** A mistake in a condition. `next` is advice for the user. */
export class Wrong extends Error {
  readonly next: string
  constructor(message: string, next: string) {
    super(message)
    this.next = next
  }
}

export const COMPARE = "Compare it with a value, such as channel_name = 'Soaking'."
export const PARTS =
  'A condition can contain columns, label.NAME, fields.NAME, constants, =, <, in, between, like, is null, and, or, not, case, casts and some functions.'
