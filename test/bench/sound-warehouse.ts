import type { DuckDBConnection } from '@duckdb/node-api'
import { parseJson } from '../../dist/contract/json.js'
import type { Sandbox } from '../../dist/sandbox/start-sandbox.js'
import { sideDoor } from '../support/side-door.ts'
import { type Record_, withConnection } from '../support/truth.ts'

/** Compares channels, members, teams and post-mortems with the service, whose faults are off by now. */
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
