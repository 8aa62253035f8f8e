import type { DuckDBConnection } from '@duckdb/node-api'
import { parseJson } from '../../dist/contract/json.js'
import type { Sandbox } from '../../dist/sandbox/start-sandbox.js'
import { sideDoor } from '../support/side-door.ts'
import { objects, type Record_, withConnection } from '../support/truth.ts'

/** Each finds rows that must not be; `$since` is where reading began. */
const NEVER: Readonly<Record<string, string>> = {
  'an incident twice': 'select incident_id from incidents group by all having count(*) > 1',
  'a responder twice':
    'select incident_id, ordinal from incident_responders group by all having count(*) > 1',
  'a responder without its incident': 'from incident_responders anti join incidents using (incident_id)',
  'a channel twice': 'select channel_id from channels group by all having count(*) > 1',
  'a team twice': 'select team_id from teams group by all having count(*) > 1',
  'a team member twice': 'select team_id, ordinal from team_members group by all having count(*) > 1',
  'a member twice': 'select member_id from members group by all having count(*) > 1',
  'a post-mortem twice': 'select post_mortem_id from post_mortems group by all having count(*) > 1',
  'a check twice': 'select resource, id from sync_checks group by all having count(*) > 1',
  'a folder twice at one time':
    'select folder_id, snapshot_at from folder_rule_status group by all having count(*) > 1',
  'a version twice': 'select incident_id, _seen_at from incident_versions group by all having count(*) > 1',
  'a version that ends before it begins': 'from incident_versions where _replaced_at < _seen_at',
  'a version that changed nothing': `
    with history as (
      select incident_id, _hash, _seen_at from incident_versions
      union all select incident_id, _hash, _seen_at from incidents where vanished_at is null
    )
    select * from history
    qualify _hash = lag(_hash) over (partition by incident_id order by _seen_at)`,
  'a version that overlaps the next': `
    select * from incident_versions
    qualify _replaced_at > lead(_seen_at) over (partition by incident_id order by _seen_at)`,
  'a run twice': 'select account_id, run_id from sync_runs group by all having count(*) > 1',
  'a run still running': `from sync_runs where status = 'running'`,
  'a run out of turn':
    'select * from sync_runs qualify run_id <> row_number() over (partition by account_id order by run_id)',
  'a window twice': 'select account_id, run_id, window_id from sync_windows group by all having count(*) > 1',
  'a window of no run': 'from sync_windows anti join sync_runs using (account_id, run_id)',
  'an open window in the newest run': `
    from sync_windows where state <> 'done' and run_id = (select max(run_id) from sync_runs)`,
  'a second between two windows that was never read': `
    with done as (
      select window_start, window_end from sync_windows
      where state = 'done' and reason not in ('still-open', 'vanished', 'reopened') and window_start is not null
    ),
    reached as (
      select window_start, max(window_end) over (order by window_start, window_end
        rows between unbounded preceding and 1 preceding) as until
      from done
    )
    select * from reached where window_start > coalesce(until, to_timestamp($since))`,
  'a record in quarantine that no fault made': `from quarantine where payload <> '"not what was promised"'`,
}

/** Rows that must not be in a warehouse after runs that were killed and went on. In words, empty when it is sound. */
export async function tablesDiffer(
  warehouse: string,
  { since, hasMoved }: { since: number; hasMoved: boolean },
): Promise<string[]> {
  return withConnection(warehouse, async (connection) => {
    const found: string[] = []
    const checks = hasMoved
      ? NEVER
      : { ...NEVER, 'a version though nothing changed': 'from incident_versions' }
    for (const [what, query] of Object.entries(checks)) {
      const rows = await objects(connection, query.replace('$since', String(since)))
      if (rows.length > 0) found.push(`${what}: ${rows.length}, first ${show(rows[0]!)}`)
    }
    return found
  })
}

/** Channels, members, teams and post-mortems against the service, whose faults are off by now. */
export async function othersDiffer(service: Sandbox, warehouse: string): Promise<string[]> {
  const answer = await sideDoor(service.baseUrl, 'state')
  const state = parseJson(await answer.text()) as Record<string, Record_[]>
  return withConnection(warehouse, async (connection) => {
    const found: string[] = []
    const rows = (query: string) => texts(connection, query)
    const channels = new Map(state.channels!.map((one) => [String(one.channel_id), one]))
    const used = await rows('select distinct channel_id::varchar from incidents where channel_id <> 0')
    expectSame(
      found,
      'channels',
      used.map((id) => [id, channels.get(id)?.channel_name, channels.get(id)?.status].join(' ')),
      await rows(`select concat_ws(' ', channel_id, channel_name, status) from channels`),
    )
    expectSame(
      found,
      'members',
      state.members!.map((one) => `${one.member_name} ${one.email}`),
      await rows(`select concat_ws(' ', member_name, email) from members where vanished_at is null`),
    )
    const teams = new Map(state.teams!.map((one) => [String(one.team_id), one]))
    const owners = await rows('select distinct team_id::varchar from channels where team_id <> 0')
    expectSame(
      found,
      'teams',
      owners.flatMap((id) => (teams.has(id) ? [`${id} ${teams.get(id)!.team_name}`] : [])),
      await rows(`select concat_ws(' ', team_id, team_name) from teams where vanished_at is null`),
    )
    expectSame(
      found,
      'post-mortems',
      await rows(`select distinct post_mortem_id from incidents where post_mortem_id <> ''`),
      await rows('select post_mortem_id from post_mortems'),
    )
    return found
  })
}

function expectSame(found: string[], what: string, wanted: readonly string[], is: readonly string[]) {
  const missing = wanted.filter((one) => !is.includes(one))
  const extra = is.filter((one) => !wanted.includes(one))
  if (missing.length + extra.length > 0)
    found.push(
      `${what}: missing ${missing.slice(0, 3).join(', ') || 'none'}; too many ${extra.slice(0, 3).join(', ') || 'none'}`,
    )
  else if (wanted.length !== is.length) found.push(`${what}: ${is.length} instead of ${wanted.length}`)
}

/** The first column of a query, as texts. */
async function texts(connection: DuckDBConnection, query: string): Promise<string[]> {
  return (await connection.runAndReadAll(query)).getRows().map((row) => String(row[0]))
}

function show(row: Record_): string {
  return JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value)).slice(0, 200)
}
