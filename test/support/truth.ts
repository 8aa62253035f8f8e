import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { parseJson } from '../../dist/contract/json.js'
import { sideDoor } from './side-door.ts'

/** A record of the service, or a row of the warehouse. */
export type Record_ = Record<string, unknown>

/** Fields of the API document that are times. 0 means "not set". */
const TIMES = [
  'start_time',
  'end_time',
  'last_time',
  'ack_time',
  'close_time',
  'deleted_at',
  'created_at',
  'updated_at',
  'snoozed_before',
]
/** Fields of the API document that contain objects or lists of objects. */
const JSONS = ['labels', 'fields', 'assigned_to', 'alerts', 'closer', 'creator', 'owner', 'links', 'images']
const LISTS = [
  'integration_ids',
  'integration_types',
  'manual_overrides',
  'data_source_ids',
  'data_source_types',
]
const PLAIN = [
  'incident_id',
  'account_id',
  'channel_id',
  'integration_id',
  'dedup_key',
  'equals_md5',
  'creator_id',
  'closer_id',
  'owner_id',
  'incident_status',
  'incident_severity',
  'progress',
  'title',
  'description',
  'ai_summary',
  'impact',
  'root_cause',
  'resolution',
  'num',
  'frequency',
  'group_method',
  'ever_muted',
  'reporter_email',
  'alert_cnt',
  'active_alert_cnt',
  'alert_event_cnt',
  'account_name',
  'account_locale',
  'account_time_zone',
  'channel_name',
  'channel_status',
  'detail_url',
  'silence_url',
  'integration_type',
  'post_mortem_id',
  'data_source_id',
  'data_source_type',
]

/**
 * Compares the warehouse with the service, by the fields of the API document. This also detects documented fields that
 * the program does not store.
 * @returns at most ten differences in words
 */
export async function differences(baseUrl: string, warehouse: string): Promise<string[]> {
  const found = await differencesById(await readTruth(baseUrl), warehouse)
  return [...found.values()].flat().slice(0, 10)
}

/** Returns differences by incident id. @param only ids to compare, by default all */
export async function differencesById(
  truth: readonly Record_[],
  warehouse: string,
  only?: ReadonlySet<string>,
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  const stored = await withConnection(warehouse, (connection) =>
    storedIncidents((sql) => objects(connection, sql), only === undefined ? {} : { only }),
  )
  for (const record of truth) {
    const id = record.incident_id as string
    const [row, ...more] = stored.get(id) ?? []
    const differ = row === undefined ? [`${id} is missing`] : differencesOf(record, row)
    if (more.length > 0) differ.push(`${id} is stored ${1 + more.length} times`)
    if (differ.length > 0) found.set(id, differ)
    stored.delete(id)
  }
  for (const id of stored.keys()) found.set(id, [`${id} is not on the service`])
  return found
}

/** Returns the stored incidents by id, with their responders. By default, excludes missing incidents. */
export async function storedIncidents(
  ask: (sql: string) => Promise<readonly Record_[]>,
  { only, withVanished = false }: { only?: ReadonlySet<string>; withVanished?: boolean } = {},
): Promise<Map<string, Record_[]>> {
  const wanted =
    only === undefined ? 'true' : `incident_id in (${[...only].map((id) => `'${id}'`).join(', ') || "''"})`
  const there = withVanished ? 'true' : 'vanished_at is null'
  const rows = new Map<string, Record_[]>()
  for (const row of await ask(
    `select *, [] as responders from incidents where ${there} and ${wanted} order by incident_id`,
  )) {
    const id = row.incident_id as string
    rows.set(id, [...(rows.get(id) ?? []), row])
  }
  for (const row of await ask(
    `select * from incident_responders where ${wanted} order by incident_id, ordinal`,
  )) {
    for (const one of rows.get(row.incident_id as string) ?? []) (one.responders as Record_[]).push(row)
  }
  return rows
}

export async function readTruth(baseUrl: string): Promise<Record_[]> {
  const text = await (await sideDoor(baseUrl, 'truth')).text()
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseJson(line) as Record_)
}

export function differencesOf(record: Record_, row: Record_): string[] {
  const found: string[] = []
  const check = (field: string, wanted: unknown, is: unknown) => {
    if (canonical(wanted) !== canonical(is)) {
      found.push(`${record.incident_id}.${field}: ${canonical(is)} instead of ${canonical(wanted)}`)
    }
  }
  for (const field of PLAIN) check(field, record[field] ?? null, row[field])
  for (const field of TIMES) check(field, time(record[field]), row[field])
  for (const field of LISTS) check(field, record[field] ?? null, row[field])
  for (const field of JSONS) {
    check(field, record[field] ?? null, row[field] === null ? null : parseJson(row[field] as string))
  }
  const wanted = ((record.responders ?? []) as Record_[]).map((one) => [
    one.person_id,
    time(one.assigned_at),
    time(one.acknowledged_at),
  ])
  const is = (row.responders as Record_[]).map((one) => [one.person_id, one.assigned_at, one.acknowledged_at])
  check('responders', wanted, is)
  return found
}

function time(value: unknown): Date | null {
  return value === undefined || value === null || value === 0 ? null : new Date(Number(value) * 1_000)
}

/** Returns equal texts for equal values, so 5 equals 5n and the order of fields does not matter. */
function canonical(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Date) return `time ${value.getTime()}`
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}:${canonical(part)}`)
    return `{${fields.sort().join(',')}}`
  }
  return JSON.stringify(value) ?? 'null'
}

export async function withConnection<Result>(
  path: string,
  act: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  try {
    await connection.run(`set TimeZone = 'UTC'`)
    return await act(connection)
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

export async function objects(connection: DuckDBConnection, sql: string): Promise<Record_[]> {
  return (await connection.runAndReadAll(sql)).getRowObjectsJS() as Record_[]
}
