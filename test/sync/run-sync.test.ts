import { describe, expect, test } from 'vitest'
import { NetworkError } from '../../src/errors.ts'
import { resources } from '../../src/resources/index.ts'
import type { Progress } from '../../src/sync/run-sync.ts'
import { DAY, incident } from '../support/service.ts'
import { calls, filled, running, start } from './running.ts'

const { count, rows, run, runs, windows } = running()

describe('a run', () => {
  test('on an empty warehouse stores and counts every record of every resource', async () => {
    const service = filled()
    const summary = await run(service)
    expect(summary).toMatchObject({
      runId: 1,
      status: 'ok',
      complete: true,
      asOf: start,
      failures: [],
      quarantined: 0,
    })
    expect(summary.requests).toBe(service.calls.length)
    expect(await count('incidents')).toBe(300)
    expect(await count('incident_responders')).toBe(300)
    expect(await rows('select channel_id, team_id from channels order by channel_id')).toEqual([
      { channel_id: 7, team_id: 70 },
      { channel_id: 2n ** 60n, team_id: 70 },
    ])
    expect(await rows('select person_id from team_members order by ordinal')).toEqual([
      { person_id: 1 },
      { person_id: 2n ** 61n },
    ])
    expect(await count('members')).toBe(150)
    expect(await count('member_roles')).toBe(150)
    expect(await rows('select snapshot_at, rule_total from folder_rule_status')).toEqual([
      { snapshot_at: start, rule_total: 3 },
    ])
    expect(await runs()).toEqual([
      {
        run_id: 1,
        status: 'ok',
        as_of_at: start,
        service_time_at: start,
        rows_read: summary.read,
        requests: summary.requests,
        version: '1.2.3',
        message: '',
      },
    ])
    const all = await windows()
    expect(
      all.every(({ state, reason, cursor }) => state === 'done' && reason === 'backfill' && cursor === null),
    ).toBe(true)
    expect(all.reduce((sum, { total_seen }) => sum + Number(total_seen), 0)).toBeGreaterThanOrEqual(300)
  })

  test('reports its progress until it reaches the total', async () => {
    const told: Progress[] = []
    const summary = await run(filled(), start, { onProgress: (progress) => told.push(progress) })
    const last = told.at(-1)!
    expect(last).toMatchObject({
      slicesDone: summary.slices,
      slicesPlanned: summary.slices,
      requests: summary.requests,
    })
    expect(told.map(({ resource }) => resource)).toEqual(
      expect.arrayContaining(['incidents', 'channels', 'teams', 'members', 'folder_rule_status']),
    )
    for (let index = 1; index < told.length; index++) {
      expect(told[index]!.slicesDone).toBeGreaterThanOrEqual(told[index - 1]!.slicesDone)
      expect(told[index]!.requestsPlanned).toBeGreaterThanOrEqual(told[index]!.requests)
    }
  })

  test('of selected resources makes requests only for those resources', async () => {
    const service = filled()
    const members = resources.filter((one) => one.table === 'members')
    expect(await run(service, start, { resources: members })).toMatchObject({
      status: 'ok',
      complete: true,
      asOf: null,
    })
    expect(new Set(service.calls.map(({ name }) => name))).toEqual(new Set(['member/list']))
  })

  test('that does not read incidents is incomplete if windows are missing from an earlier run', async () => {
    const service = filled()
    const channels = resources.filter((one) => one.table === 'channels')
    service.before = (name, input) => {
      if (name === 'incident/list' && Number(input.start_time) > start - 40 * DAY)
        throw new NetworkError('incident/list: gone', { next: 'Wait.' })
      return undefined
    }
    expect(await run(service)).toMatchObject({ status: 'failed', complete: false })
    service.before = () => undefined
    expect(await run(service, start, { resources: channels })).toMatchObject({
      status: 'ok',
      complete: false,
    })
    expect(await run(service)).toMatchObject({ status: 'ok', complete: true })
    expect(await run(service, start, { resources: channels })).toMatchObject({ status: 'ok', complete: true })
  })

  test('of an old period does not change the as-of time of data that was read earlier', async () => {
    const service = filled()
    await run(service, start)
    const until = start - 50 * DAY
    expect(await run(service, start + 60, { scope: { until } })).toMatchObject({ status: 'ok', asOf: start })
    expect(await run(service, start + 120)).toMatchObject({ asOf: start + 120 })
  })

  test('that reads only up to an earlier time has that time as its as-of time', async () => {
    const until = start - 50 * DAY
    expect(await run(filled(), start, { scope: { until } })).toMatchObject({ asOf: until })
    // A request includes both ends of its window.
    expect(await count('incidents')).toBe(151)
  })
})

describe('the next run', () => {
  test('writes nothing and sends few requests if nothing changed', async () => {
    const service = filled()
    const first = await run(service)
    const before = service.calls.length
    const second = await run(service, start + 1)
    expect(second).toMatchObject({ status: 'ok', inserted: 1, replaced: 0, vanished: 0 })
    expect(await rows('select distinct _run_id as run from incidents')).toEqual([{ run: first.runId }])
    expect(await count('incident_versions')).toBe(0)
    expect(calls({ ...service, calls: service.calls.slice(before) }, 'channel/info')).toEqual([])
    expect(new Set((await windows('run_id = 2')).map(({ reason }) => reason))).toEqual(
      new Set(['new', 'lookback', 'sweep', 'reopened']),
    )
  })

  test('reads recent changes, open records of any age, and records that are missing', async () => {
    const service = filled()
    const old = service.incidents[3]!
    Object.assign(old, { progress: 'Processing', close_time: 0, responders: [] })
    await run(service)
    Object.assign(old, { progress: 'Closed', close_time: start, updated_at: start })
    service.incidents[299] = incident(299 * 8, { title: 'changed', updated_at: start + 5 })
    const [gone] = service.incidents.splice(290, 1)
    service.incidents.push(
      incident(0, { incident_id: 'f'.repeat(24), start_time: start + 100, title: 'new' }),
    )
    const second = await run(service, start + DAY)
    expect(second).toMatchObject({ status: 'ok', inserted: 2, replaced: 2, vanished: 1 })
    expect(await rows(`select title, progress from incidents where _run_id = 2 order by start_time`)).toEqual(
      [
        { title: 'incident 24', progress: 'Closed' },
        { title: 'changed', progress: 'Closed' },
        { title: 'new', progress: 'Closed' },
      ],
    )
    expect(await rows('select incident_id from incidents where vanished_at is not null')).toEqual([
      { incident_id: gone!.incident_id },
    ])
    expect(await count('incident_versions')).toBe(2)
  })

  test('does not request a channel again if the service does not have that channel', async () => {
    const service = filled()
    service.channels.delete('7')
    expect(await run(service)).toMatchObject({ status: 'ok' })
    await run(service, start + 1)
    expect(calls(service, 'channel/info')).toHaveLength(2)
    expect(await rows(`select id from sync_checks where is_missing`)).toEqual([{ id: '7' }])
  })
})
