import { parseJson } from '../../src/contract/json.ts'
import { sandboxClock } from '../../src/sandbox/clock.ts'
import { truthOf } from '../../src/sandbox/control-endpoints.ts'
import { spanDays } from '../../src/sandbox/world/arrival-times.ts'
import { buildWorld } from '../../src/sandbox/world/build-world.ts'
import { lessonOf } from '../../src/sandbox/world/scenarios/index.ts'
import type { Content, Responder } from './world.ts'

/** Converts a record for tests: without an account, and with large integers as text. */
const plain = <Row>(row: Row) =>
  JSON.parse(
    JSON.stringify(row, (key, value) =>
      key === 'account_id' ? undefined : typeof value === 'bigint' ? String(value) : value,
    ),
  ) as Row
interface Read {
  incident_id: string
  responders?: Responder[] | null
}

/** Returns the content of a scenario without a sync. The scenario is generated at `toldAt` and read at `now`. */
export function storyContent(name: string, now: number, toldAt = now, seed = 1): Content {
  const { incidents } = lessonOf(name)
  const world = buildWorld({ seed, incidents, anchor: toldAt, world: name }, sandboxClock(now))
  const rows = Array.from(truthOf(world), (line) => plain(parseJson(line) as unknown as Read))
  const { teams, channels, members } = world.account
  const run = { run_id: 1, resource: 'incidents', state: 'done' }
  return {
    incidents: rows,
    responders: rows.flatMap(({ incident_id, responders }) =>
      (responders ?? []).map((one, ordinal) => ({ ...one, incident_id, ordinal })),
    ),
    teams: [...teams.values()].map(plain),
    crews: [...teams.values()].flatMap(({ team_id, person_ids = [] }) =>
      person_ids.map((person_id, ordinal) => plain({ team_id, person_id, ordinal })),
    ),
    channels: [...channels.values()].map(plain),
    members: [...members.values()].map(plain),
    runs: [{ run_id: 1, status: 'ok', finished_at: now, as_of_at: now }],
    windows: [{ ...run, window_start: toldAt - spanDays(incidents) * 86_400, window_end: now }],
  }
}
