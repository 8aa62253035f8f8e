import { startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { defaultSettings, type Settings } from '../../src/settings/settings.ts'
import { sideDoor } from '../support/side-door.ts'
import type { Incident, Responder, Version, World } from '../support/world.ts'

const DAY = 86_400
/** Saturday, 21 November 2026, 12:00 UTC, three weeks after New York set its clocks back. */
export const NOW = 1_795_262_400

type Record_ = Record<string, unknown>

/** A world as the service sends it, and with absent fields filled for the second computation. */
export interface Served {
  raw: World
  filled: World
}

const blank = {
  incident_id: '',
  start_time: 0,
  ack_time: 0,
  end_time: 0,
  close_time: 0,
  created_at: 0,
  updated_at: 0,
  deleted_at: 0,
  vanished_at: 0,
  progress: '',
  incident_severity: '',
  creator_id: 0,
  closer_id: 0,
  alert_cnt: 0,
  alert_event_cnt: 0,
  ever_muted: false,
  channel_id: 0,
  channel_name: '',
  integration_id: 0,
  integration_type: '',
  dedup_key: '',
  post_mortem_id: '',
  account_time_zone: '',
  title: '',
  labels: {},
  root_cause: '',
  resolution: '',
  impact: '',
  assigned_to: {},
  _seen_at: 0,
} satisfies Incident

/**
 * A sandbox's world, read over HTTP three times with days between, so that it includes changed incidents. Ids are
 * JavaScript numbers on both sides of the comparison.
 */
export async function servedWorld(options: { seed: number; incidents: number }): Promise<Served> {
  const sandbox = await startSandbox({ ...options, now: NOW - 5 * DAY, limits: false })
  const { baseUrl, appKey } = sandbox
  const ask = askingOf(baseUrl, appKey)
  const truth = async () => {
    const text = await (await sideDoor(baseUrl, 'truth')).text()
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record_]))
  }
  try {
    const reads: Record_[][] = [await truth()]
    for (const seconds of [2 * DAY, 3 * DAY]) {
      await sideDoor(baseUrl, 'clock', { advance_s: seconds })
      reads.push(await truth())
    }
    const records = reads.at(-1)!
    const distinct = (field: string) =>
      [...new Set(records.map((record) => record[field] as number))].filter(Boolean)
    const asked = await Promise.all(
      distinct('channel_id').map((channel_id) => ask('channel/info', { channel_id })),
    )
    // A deleted channel is not found.
    const channels = asked.filter((channel) => channel !== undefined)
    const teamIds = [...new Set(channels.map(({ team_id }) => team_id))].filter(Boolean)
    const reports = distinct('post_mortem_id').map((post_mortem_id) =>
      ask('incident/post-mortem/info', { post_mortem_id }),
    )
    const members = await membersOf(ask)
    const teams = (await ask('team/infos', { team_ids: teamIds }))?.items
    const { raw, versions } = seen(reads)
    return withFilled({
      incidents: raw,
      versions,
      responders: respondersOf(records),
      channels: channels as World['channels'][number][],
      teams: teams as World['teams'],
      members: members.map((member) => ({ ...member, account_id: 1 })),
      // A post-mortem that an incident links to need not exist.
      postMortems: (await Promise.all(reports)).flatMap((report) => {
        if (report === undefined) return []
        const meta = report.meta as { post_mortem_id: string; created_at_seconds: number }
        return [{ post_mortem_id: meta.post_mortem_id, created_at: meta.created_at_seconds }]
      }),
      runs: [{ run_id: 1, status: 'ok', finished_at: NOW + 60, as_of_at: NOW }],
      windows: [],
      quarantined: 0,
      settings: settingsFor(members.map(({ member_id }) => member_id)),
    })
  } finally {
    await sandbox.close()
  }
}

type Ask = (operation: string, body: object) => Promise<Record_ | undefined>

/** Returns a function that calls operations of a sandbox. Its result is undefined if not found. */
function askingOf(baseUrl: string, appKey: string): Ask {
  return async (operation, body) => {
    const answer = await fetch(`${baseUrl}/${operation}?app_key=${appKey}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return ((await answer.json()) as { data: Record_ | undefined }).data
  }
}

/** All members, page by page. */
async function membersOf(ask: Ask) {
  const members = []
  for (let p = 1; ; p++) {
    const { items } = (await ask('member/list', { p, limit: 100 })) as {
      items: { member_id: number; member_name: string }[]
    }
    members.push(...items)
    if (items.length < 100) return members
  }
}

/** The last contents with the time of their first read, and the former contents. */
function seen(reads: readonly Record_[][]): { raw: Incident[]; versions: Version[] } {
  const last = new Map<string, { text: string; record: Incident }>()
  const versions: Version[] = []
  for (const [place, read] of reads.entries()) {
    const at = NOW - (reads.length - place) * DAY
    for (const record of read) {
      const id = record.incident_id as string
      const text = JSON.stringify(record)
      const before = last.get(id)
      if (before?.text === text) continue
      if (before) versions.push({ ...before.record, _replaced_at: at })
      last.set(id, { text, record: { ...record, account_id: 1, _seen_at: at } as unknown as Incident })
    }
  }
  const present = new Set(reads.at(-1)!.map(({ incident_id }) => incident_id))
  const raw = [...last.values()]
    .map(({ record }) => record)
    .filter(({ incident_id }) => present.has(incident_id))
  return { raw, versions: versions.filter(({ incident_id }) => present.has(incident_id)) }
}

/** Assignments inside of incidents as rows. */
export const respondersOf = (records: readonly Record_[]): Responder[] =>
  records.flatMap(({ incident_id, responders }) =>
    ((responders ?? []) as Responder[]).map((one, ordinal) => ({
      ...one,
      incident_id: incident_id as string,
      ordinal,
    })),
  )

/** Returns the world as given, and with absent fields filled. */
export function withFilled(raw: World): Served {
  const filled = raw.incidents.map((record) => ({
    ...blank,
    ...Object.fromEntries(
      Object.entries(record).filter(([, value]) => value !== null && value !== undefined),
    ),
  }))
  return { raw, filled: { ...raw, incidents: filled } }
}

/** People in three zones, two holidays, and limits other than the defaults. */
function settingsFor(people: readonly number[]): Settings {
  const zones = ['America/New_York', 'Asia/Shanghai', undefined]
  return {
    ...defaultSettings,
    holidays: ['2026-11-11', '2026-10-12'].map((day) => ({ day, name: 'Holiday' })),
    personZones: people.flatMap((person, place) => {
      const timezone = zones[place % zones.length]
      return timezone === undefined ? [] : [{ person_id: String(person), timezone }]
    }),
    policies: [{ name: 'ack', value: 'first_action' }],
  }
}

/**
 * Adds an account with the same ids but other names, all Critical and two hours later. It must not affect the figures
 * of the first account.
 */
export function withStranger(world: World): World {
  const strange = <Row>(rows: readonly Row[], change: (row: Row) => object = () => ({})) => [
    ...rows,
    ...rows.map((row) => ({ ...row, ...change(row), account_id: 2 })),
  ]
  const later = (time: number) => (time ? time + 7200 : time)
  return {
    ...world,
    incidents: strange(world.incidents, ({ start_time, close_time }) => ({
      incident_severity: 'Critical',
      start_time: later(start_time),
      close_time: later(close_time),
    })),
    responders: strange(world.responders, ({ assigned_at }) => ({ assigned_at: later(assigned_at) })),
    versions: strange(world.versions, () => ({ progress: 'Closed' })),
    channels: strange(world.channels, () => ({ channel_name: 'Strange' })),
    teams: strange(world.teams, () => ({ team_name: 'Strangers' })),
    members: strange(world.members, () => ({ member_name: 'Stranger' })),
    postMortems: strange(world.postMortems, ({ created_at }) => ({ created_at: later(created_at) })),
    runs: strange(world.runs, ({ as_of_at }) => ({ as_of_at: later(as_of_at), run_id: 2 })),
  }
}
