import type { Incident, World } from '../support/world.ts'

/**
 * Independent computation of as_of and incident_times in TypeScript, written differently from the SQL. A time that is
 * not set is undefined, whereas null is a value that the view should return.
 */
export interface Reference {
  row: Incident
  start: number | undefined
  closedAt: number | undefined
  open: boolean
  muted: boolean
  acknowledged: boolean
  team: string
  channel: string
  times: Record<string, unknown>
}

const set = (time: number) => (time === 0 ? undefined : time)
const gap = (from: number | undefined, to: number | undefined) =>
  from === undefined || to === undefined ? undefined : to - from
const kept = (seconds: number | undefined) => (seconds === undefined || seconds < 0 ? null : seconds)
const negative = (seconds: number | undefined) => seconds !== undefined && seconds < 0

export function referenceAsOf({ runs, incidents }: World) {
  let best: World['runs'][number] | undefined
  for (const run of runs) {
    if (run.as_of_at === 0 || run.finished_at === 0) continue
    // Runs are in the order of run_id. Their end times depend on machine clocks and are ignored.
    best = run
  }
  if (best) return { as_of_at: best.as_of_at, as_of_source: 'sync run', run_id: best.run_id }
  // Without incidents, the view as_of has a row only if the account has runs.
  if (incidents.length === 0)
    return runs.length === 0 ? undefined : { as_of_at: null, as_of_source: null, run_id: null }
  const newest = Math.max(...incidents.map((row) => row.updated_at))
  return { as_of_at: newest, as_of_source: 'newest record', run_id: null }
}

const referenceWorlds = new WeakMap<World, Reference[]>()

/** Whether an incident was closed, created by the system, and has no alerts left. */
export const isMerged = ({ progress, creator_id, alert_cnt }: Incident) =>
  progress === 'Closed' && creator_id === 0 && alert_cnt === 0

export function referenceTimes(world: World): Reference[] {
  const known = referenceWorlds.get(world)
  if (known) return known
  const asOf = referenceAsOf(world)?.as_of_at ?? undefined
  const all = world.incidents
    .filter((row) => !row.deleted_at && !row.vanished_at && !isMerged(row))
    .map((row) => compute(row, asOf, world))
  referenceWorlds.set(world, all)
  return all
}

/** Whether the configuration lists the member as automation, by id or by name. */
function isAutomation(id: number, { members, settings }: World): boolean {
  const name = members.find(({ member_id }) => member_id === id)?.member_name?.toLowerCase()
  return (
    id !== 0 &&
    settings.automation.some(
      ({ kind, value }) => kind === 'member' && [String(id), name].includes(value.toLowerCase()),
    )
  )
}

function compute(row: Incident, asOf: number | undefined, world: World): Reference {
  const { channels, teams } = world
  const [start, ack, end] = [set(row.start_time), set(row.ack_time), set(row.end_time)]
  const open = row.progress !== 'Closed'
  const closedAt = open ? undefined : set(row.close_time)
  const closeType = open ? null : typeOfClose(row)
  const channel = channels.find(({ channel_id }) => channel_id === row.channel_id)
  const team = teams.find(({ team_id }) => team_id === channel?.team_id)
  const none = row.channel_id === 0
  const isHandled =
    (closeType === 'manual' && !isAutomation(row.closer_id, world)) ||
    (closeType === 'auto_recovered' && ack !== undefined)
  const names = {
    channel_name: none ? '(no channel)' : channel?.channel_name || row.channel_name,
    team_name: none ? '(no channel)' : team?.team_name || '(unknown)',
  }
  return {
    row,
    start,
    closedAt,
    open,
    muted: row.ever_muted,
    acknowledged: ack !== undefined,
    team: names.team_name,
    channel: names.channel_name,
    times: {
      incident_id: row.incident_id,
      title: row.title,
      ...names,
      team_id: team?.team_id ?? null,
      close_time: set(row.close_time) ?? null,
      closed_at: closedAt ?? null,
      is_open: open,
      is_acknowledged: ack !== undefined,
      is_muted: row.ever_muted,
      is_handled_by_people: isHandled,
      is_self_healed: closeType === 'auto_recovered' && ack === undefined,
      close_type: closeType,
      close_state: ((open ? 'open' : 'closed') + (end === undefined ? ', firing' : ', recovered'))
        .replace('closed, recovered', 'both')
        .replace('closed, firing', 'closed_while_firing')
        .replace('open, recovered', 'recovered_not_closed')
        .replace('open, firing', 'open'),
      time_to_ack_s: kept(gap(start, ack)),
      time_to_close_s: kept(gap(start, closedAt)),
      time_to_resolve_s: isHandled && !row.ever_muted ? kept(gap(start, closedAt)) : null,
      time_to_recover_s: kept(gap(start, end)),
      hands_on_s: kept(gap(ack, closedAt)),
      close_lag_s: kept(gap(end, closedAt)),
      detection_lag_s: kept(gap(start, row.created_at)),
      age_s: open ? kept(gap(start, asOf)) : null,
      survival_s: kept(gap(start, open ? asOf : closedAt)),
      is_negative_ack: negative(gap(start, ack)),
      is_negative_close: negative(gap(start, closedAt)),
      is_negative_recover: negative(gap(start, end)),
      is_closed_before_ack: negative(gap(ack, closedAt)),
      is_conflict: open ? row.close_time !== 0 : row.close_time === 0,
    },
  }
}

function typeOfClose({ closer_id, end_time }: Incident): string {
  if (closer_id !== 0) return 'manual'
  return end_time === 0 ? 'auto_timeout' : 'auto_recovered'
}
