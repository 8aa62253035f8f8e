import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { parseJson } from '../../src/contract/json.ts'
import { realEffects } from '../../src/effects.ts'
import { resources } from '../../src/resources/index.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { ACCOUNT_ID } from '../../src/sandbox/world/company.ts'
import { sideDoor } from '../support/side-door.ts'
import { sync } from '../support/storage.ts'
import { differencesById, objects, type Record_, readTruth, withConnection } from '../support/truth.ts'
import { preparedWarehouse } from '../support/warehouse.ts'

const NOW = 1_767_225_600
const DAY = 86_400
const NIGHTS = 9
/** All changes are within the lookback of the last night. test/bench/year.ts covers later ones. */
const SINCE = NOW + (NIGHTS - 1) * DAY - 31 * DAY

/** The changes that may happen to an incident between two nights. */
const CHANGES: Readonly<Record<string, (before: Record_, after: Record_) => boolean>> = {
  acknowledged: (before, after) => before.ack_time === 0 && after.ack_time !== 0,
  closed: (before, after) => before.progress !== 'Closed' && after.progress === 'Closed',
  reopened: (before, after) => before.progress === 'Closed' && after.progress !== 'Closed',
  'edited in severity': (before, after) => before.incident_severity !== after.incident_severity,
  'linked to a post-mortem': (before, after) => before.post_mortem_id === '' && after.post_mortem_id !== '',
  deleted: (before, after) => before.deleted_at === 0 && after.deleted_at !== 0,
}

/** All versions of an incident, the current one included. */
const HISTORY = `history as (
  select * from incident_versions union all by name select *, null as _replaced_at from incidents
)`

/** Incidents by id, as the service had them after a night. */
type Night = ReadonlyMap<string, Record_>

const folder = mkdtempSync(join(tmpdir(), 'faultline-late-'))
const warehouse = join(folder, 'warehouse.duckdb')
const nights: Night[] = []
/** Post-mortems published after a night, and those that the warehouse still had as drafts a night later. */
const published = { onService: 0, missed: [] as string[] }
let sandbox: Sandbox

const query = (text: string) => withConnection(warehouse, (connection) => objects(connection, text))
const wasAt = (night: number) => `to_timestamp(${NOW + night * DAY + DAY / 2})`

beforeAll(async () => {
  sandbox = await startSandbox({ incidents: 2_500, now: NOW, seed: 10, limits: false })
  const client = createClient({ ...sandbox, quota: Number.POSITIVE_INFINITY })
  preparedWarehouse(warehouse, ACCOUNT_ID)
  let drafts: string[] = []
  for (let night = 0; night < NIGHTS; night++) {
    const clock = JSON.stringify({ now: NOW + night * DAY })
    await sideDoor(sandbox.baseUrl, 'clock', clock)
    const { status, published: isPublished } = await sync({
      client,
      path: warehouse,
      resources,
      known: resources,
      effects: realEffects(),
      concurrency: 4,
      version: '1.2.3',
      signal: new AbortController().signal,
      scope: (now) => ({
        now,
        since: SINCE,
        lookbackDays: 31,
        windowSeconds: 31 * DAY,
        full: false,
      }),
    })
    expect([status, isPublished], `night ${night}`).toEqual(['ok', true])
    const truth = (await readTruth(sandbox.baseUrl)).filter((one) => (one.start_time as number) >= SINCE)
    expect([...(await differencesById(truth, warehouse)).values()], `night ${night}`).toEqual([])
    nights.push(new Map(truth.map((one) => [one.incident_id as string, one])))

    const stored = await query('select post_mortem_id as id, status from post_mortems')
    for (const { id, status } of stored) {
      if (!drafts.includes(id as string) || (await statusOnService(id as string)) !== 'published') continue
      published.onService++
      if (status !== 'published') published.missed.push(id as string)
    }
    drafts = stored.filter((one) => one.status !== 'published').map((one) => one.id as string)
  }
  await client.close()
}, 240_000)

afterAll(async () => {
  await sandbox.close()
  rmSync(folder, { recursive: true })
})

describe('incidents that change after they were read', () => {
  test('the company has every kind of change, and equals the warehouse after one nightly sync', () => {
    const found = new Set(between().map(({ what }) => what))
    expect([...found].sort()).toEqual([...Object.keys(CHANGES), 'vanished'].sort())
  })

  test('a published post-mortem is published in the warehouse a night later', () => {
    expect(published.onService).toBeGreaterThan(0)
    expect(published.missed).toEqual([])
  })

  test('incident_versions reproduces every night', async () => {
    const fields = ['progress', 'incident_severity', 'post_mortem_id', 'alert_cnt'] as const
    const times = ['ack_time', 'close_time', 'deleted_at', 'updated_at'] as const
    for (const [night, wanted] of nights.entries()) {
      const rows = await query(`
        with ${HISTORY}
        select incident_id, ${fields.join(', ')}, ${times.map((time) => `epoch(${time}) as ${time}`).join(', ')}
        from history
        where _seen_at <= ${wasAt(night)} and (_replaced_at is null or _replaced_at > ${wasAt(night)})
          and (vanished_at is null or vanished_at > ${wasAt(night)})`)
      const is = new Map(rows.map((row) => [row.incident_id, row]))
      expect(rows.length).toBe(wanted.size)
      for (const [id, record] of wanted) {
        const row = is.get(id)
        const told = [...fields.map((name) => row?.[name]), ...times.map((name) => row?.[name] ?? 0)]
        expect(told.map(String), `${id} after night ${night}`).toEqual(
          [...fields, ...times].map((name) => String(record[name])),
        )
      }
    }
  })

  test('a deleted incident keeps its row, and a missing one is marked and not removed', async () => {
    const gone = between().filter(({ what }) => what === 'vanished')
    const rows = await query(`select incident_id, vanished_at from incidents where vanished_at is not null`)
    expect(rows.map((row) => row.incident_id).sort()).toEqual(gone.map(({ id }) => id).sort())
    for (const { vanished_at, incident_id } of rows) {
      const seconds = (vanished_at as Date).getTime() / 1_000
      const night = gone.find(({ id }) => id === incident_id)?.night
      expect(Math.floor((seconds - NOW) / DAY)).toBe(night)
    }
  })

  test('the number of reopenings and the first severity of each can be read from it', async () => {
    const rows = await query(`
      with ${HISTORY},
      steps as (
        select incident_id, incident_severity, _seen_at,
          progress <> 'Closed' and lag(progress) over (partition by incident_id order by _seen_at) = 'Closed' as is_reopening
        from history
      )
      select incident_id, count(*) filter (is_reopening)::int as reopened, arg_min(incident_severity, _seen_at) as first_severity
      from steps group by incident_id`)
    const wanted = new Map<string, { reopened: number; first: unknown }>()
    for (const night of nights)
      for (const [id, record] of night)
        if (!wanted.has(id)) wanted.set(id, { reopened: 0, first: record.incident_severity })
    for (const { what, id } of between()) if (what === 'reopened') wanted.get(id)!.reopened++
    expect(
      new Map(rows.map((row) => [row.incident_id, { reopened: row.reopened, first: row.first_severity }])),
    ).toEqual(wanted)
    expect(rows.some((row) => row.reopened === 1)).toBe(true)
  })
})

/** Every change that the service shows from one night to the next. */
function between(): { what: string; id: string; night: number }[] {
  return nights.flatMap((after, night) =>
    [...(nights[night - 1] ?? [])].flatMap(([id, before]) => {
      const now = after.get(id)
      if (now === undefined) return [{ what: 'vanished', id, night }]
      const happened = Object.entries(CHANGES).filter(([, is]) => is(before, now))
      return happened.map(([what]) => ({ what, id, night }))
    }),
  )
}

async function statusOnService(postMortemId: string): Promise<unknown> {
  const parameters = new URLSearchParams({ post_mortem_id: postMortemId, app_key: sandbox.appKey })
  const answer = await fetch(`${sandbox.baseUrl}/incident/post-mortem/info?${parameters}`)
  const { data } = parseJson(await answer.text()) as { data?: { meta: { status: string } } }
  return data?.meta.status
}
