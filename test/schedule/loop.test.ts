import { describe, expect, test, vi } from 'vitest'
import type { RunResult } from '../../src/schedule/job-store.ts'
import type { Job } from '../../src/schedule/jobs.ts'
import { failed, HOUR, job, MINUTE, nightly, ok, report } from './daemon.ts'
import { allRecords, sharedRecords } from './loop.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 300_000 })

const stores = Object.entries(allRecords)

describe.each(stores)('with job records in %s, syncs', (_, beginRecords) => {
  const from = sharedRecords(beginRecords)

  test('run at the first start, followed by every report', async () => {
    const { begin, until } = await from('2024-05-01T12:00:00Z')
    const first = begin([report, nightly])
    await until('2024-05-02T12:00:00Z')
    await first.stop()
    expect(first.runs.map(({ name, at, isFirst }) => `${name} ${at.slice(5)} ${isFirst}`)).toEqual([
      'sync 05-01T12:00 true',
      'report:mtta 05-01T12:00 true',
      'sync 05-02T00:30 false',
      'report:mtta 05-02T06:00 false',
    ])
  })

  test('missed while no scheduler ran are run once, before the report', async () => {
    const { begin, until, sleep, wellBefore } = await from('2024-05-01T12:00:00Z')
    const before = await wellBefore([nightly, report])
    await until('2024-05-11T10:00:00Z')
    const act = () => sleep(20 * MINUTE).then(() => ok)
    const back = begin([report, nightly], { before, act })
    await until('2024-05-12T12:00:00Z')
    await back.stop()
    expect(back.order()).toEqual(['sync 10:00', 'report:mtta 10:20', 'sync 00:30', 'report:mtta 06:00'])
    // A run of the same day is not repeated.
    const again = begin([nightly, report], { before: back })
    await until('2024-05-12T23:00:00Z')
    await again.stop()
    expect(again.runs).toEqual([])
  })

  test('missed while no scheduler ran are skipped if catching up is disabled', async () => {
    const { begin, until, wellBefore } = await from('2024-05-01T12:00:00Z')
    const before = await wellBefore([nightly])
    await until('2024-05-11T10:00:00Z')
    const jobs = [nightly, job('sync:new', '0 3 * * *')]
    const back = begin(jobs, { before, catchUp: false, syncs: 2 })
    await until('2024-05-12T12:00:00Z')
    await back.stop()
    expect(back.order()).toEqual(['sync 00:30', 'sync:new 01:00'])
  })

  test('due during a long sync are replaced with a single run afterwards', async () => {
    const { begin, until, sleep, wellBefore } = await from('2024-05-01T12:00:00Z')
    const before = await wellBefore([nightly])
    const hours = [60, 1, 1]
    const slow = begin([nightly], { before, act: () => sleep(hours.shift()! * HOUR).then(() => ok) })
    await until('2024-05-02T06:00:00Z')
    // The sync is due tomorrow and not overdue, so it counts as running.
    expect(slow.health().jobs.sync).toMatchObject({
      outcome: 'running',
      nextRunAt: '2024-05-03T00:30:00.000Z',
    })
    await until('2024-05-05T12:00:00Z')
    await slow.stop()
    expect(slow.of('sync')).toEqual(['2024-05-02T00:30', '2024-05-04T12:30', '2024-05-05T00:30'])
  })

  test('of several accounts run in parallel up to the limit, new accounts first', async () => {
    const { begin, until, sleep, wellBefore } = await from('2024-05-01T12:00:00Z')
    const jobs = ['a', 'b'].map((name) => job(`sync:${name}`, '0 2 * * *'))
    const before = await wellBefore(jobs)
    await until('2024-05-02T10:00:00Z')
    const act = () => sleep(HOUR).then(() => ok)
    const back = begin([...jobs, job('sync:new', '0 2 * * *')], { before, act, syncs: 2 })
    await until('2024-05-02T20:00:00Z')
    await back.stop()
    expect(back.order()).toEqual(['sync:new 10:00', 'sync:a 10:00', 'sync:b 11:00'])
  })

  test('that fail are retried twice, and run again the next night', async () => {
    const { begin, until, wellBefore } = await from('2024-05-01T12:00:00Z')
    const before = await wellBefore([nightly, report])
    const act = async ({ kind }: Job) => {
      if (kind === 'sync') throw new Error('no space left')
      return ok
    }
    const one = begin([nightly, report], { before, act })
    await until('2024-05-03T00:45:00Z')
    await one.stop()
    expect(one.of('sync').map((time) => time.slice(8))).toEqual([
      ...['02T00:30', '02T00:40', '02T01:10', '03T00:30', '03T00:40'],
    ])
    // Failures add up over the nights, so monitors see no recovery during a retry.
    expect(one.health().jobs.sync).toMatchObject({ failures: 5, tries: 2 })
    expect(one.of('report:mtta')).toEqual(['2024-05-02T06:00'])
    expect(one.lines.join('\n')).toMatch(/job ended .*"error":"no space left","next":"2024-05-02T00:40:00/)
    // A restart may mean that someone has fixed the fault, so the sync runs again.
    const again = begin([nightly, report], { before: one })
    await until('2024-05-03T00:50:00Z')
    await again.stop()
    expect(again.runs.map(({ name, due }) => `${name} ${due}`)).toEqual(['sync 2024-05-03T00:30'])
  })

  test('that were stopped run again at the next start, with their original due time', async () => {
    const { begin, until, sleep, wellBefore } = await from('2024-05-01T12:00:00Z')
    const early = job('report:mtta', '35 2 * * *')
    const act = async ({ kind }: Job, signal: AbortSignal) => {
      if (kind === 'sync') await sleep(20 * MINUTE, signal)
      return ok
    }
    const first = begin([nightly, early], { before: await wellBefore([nightly, early]), act })
    await until('2024-05-02T00:40:00Z')
    await first.stop()
    expect(first.order()).toEqual(['sync 00:30'])
    expect(first.lines.join('\n')).toMatch(/job ended .*"outcome":"stopped"/)
    const again = begin([nightly, early], { before: first, act })
    await until('2024-05-02T12:00:00Z')
    await again.stop()
    expect(again.order()).toEqual(['sync 00:40', 'report:mtta 01:00'])
    expect(again.runs.map(({ due }) => due.slice(11))).toEqual(['00:30', '00:35'])
  })
})

describe.each(stores)('with job records in %s, reports', (_, beginRecords) => {
  const from = sharedRecords(beginRecords)
  const early = job('report:mtta', '0 3 * * *')

  test('wait for a sync that was due earlier, but not for five hours', async () => {
    const { begin, until, sleep, wellBefore } = await from('2024-05-01T12:00:00Z')
    const before = await wellBefore([nightly, early])
    const hours = [1, 5]
    const act = ({ kind }: Job) => sleep(kind === 'sync' ? hours.shift()! * HOUR : 0).then(() => ok)
    const one = begin([nightly, early], { before, act, lookMs: HOUR / 2 })
    await until('2024-05-03T06:00:00Z')
    await one.stop()
    expect(one.order()).toEqual(['sync 00:30', 'report:mtta 01:30', 'sync 00:30', 'report:mtta 02:30'])
  })

  test('do not wait for a sync that is queued behind a long sync', async () => {
    const { begin, until, sleep, wellBefore } = await from('2024-05-01T12:00:00Z')
    const jobs = [job('sync:emea', '0 2 * * *'), job('sync:apac', '5 2 * * *'), early]
    const before = await wellBefore(jobs)
    const act = async ({ name }: Job) => {
      if (name === 'sync:emea') await sleep(5 * HOUR)
      return ok
    }
    const one = begin(jobs, { before, act, lookMs: HOUR })
    await until('2024-05-02T06:00:00Z')
    await one.stop()
    expect(one.order()).toEqual(['sync:emea 00:00', 'report:mtta 02:00', 'sync:apac 05:00'])
  })

  test('run even if syncs take longer than the sync interval', async () => {
    const { begin, until, sleep, wellBefore } = await from('2024-05-01T12:00:00Z')
    const jobs = [job('sync', '0 * * * *'), job('report:mtta', '30 17 * * *')]
    const before = await wellBefore(jobs)
    const act = ({ kind }: Job, signal: AbortSignal) =>
      sleep(kind === 'sync' ? 70 * MINUTE : MINUTE, signal).then(() => ok)
    const one = begin(jobs, { before, act })
    await until('2024-05-01T18:00:00Z')
    await one.stop()
    expect(one.of('report:mtta').map((time) => time.slice(11))).toEqual([expect.stringMatching(/^1[56]:/)])
  })

  test('wait until the first sync has stored data', async () => {
    const { begin, until } = await from('2024-05-01T12:00:00Z')
    let hasData = false
    const act = async ({ kind }: Job): Promise<RunResult> => {
      if (kind === 'report') return ok
      hasData = one.of('sync').length > 1
      return hasData ? ok : failed
    }
    const one = begin([nightly, report], { act, hasData: () => hasData })
    await until('2024-05-01T12:30:00Z')
    await one.stop()
    expect(one.order()).toEqual(['sync 12:00', 'sync 12:10', 'report:mtta 12:10'])
  })

  test('that some recipients did not receive are retried for most of a day', async () => {
    const { begin, until, wellBefore } = await from('2024-05-04T12:00:00Z')
    const weekly = job('report:weekly', '0 8 * * MON', 'UTC')
    const act = async (): Promise<RunResult> => ({ outcome: 'undelivered', error: 'HTTP 503' })
    const one = begin([weekly], { before: await wellBefore([weekly]), act })
    await until('2024-05-06T09:00:00Z')
    await one.stop()
    const next = begin([weekly], { before: one, act })
    await until('2024-05-08T12:00:00Z')
    await next.stop()
    const all = [...one.runs, ...next.runs]
    const minutes = all.map(({ at }) => (Date.parse(`${at}Z`) - Date.parse('2024-05-06T08:00Z')) / MINUTE)
    // A restart counts as a try.
    expect(minutes).toEqual([0, 5, 20, 50, 60, 180, 420, 660, 900, 1140])
    expect(new Set(all.map(({ due }) => due))).toEqual(new Set(['2024-05-06T08:00']))
    expect(new Set(all.map(({ isFirst }) => isFirst))).toEqual(new Set([false]))
  })

  test('that are permanently rejected are retried only when due again or after a restart', async () => {
    const { begin, until, wellBefore } = await from('2024-05-04T12:00:00Z')
    const daily = job('report:daily', '0 8 * * *', 'UTC')
    const act = async (): Promise<RunResult> => ({ outcome: 'refused', error: 'HTTP 401' })
    const one = begin([daily], { before: await wellBefore([daily]), act })
    await until('2024-05-06T09:00:00Z')
    await one.stop()
    const next = begin([daily], { before: one, act })
    await until('2024-05-06T12:00:00Z')
    await next.stop()
    const at = [...one.runs, ...next.runs].map((run) => run.at)
    expect(at.map((time) => time.slice(0, 13))).toEqual(['2024-05-05T08', '2024-05-06T08', '2024-05-06T09'])
    expect(next.health().jobs['report:daily']).toMatchObject({ outcome: 'refused', failures: 3 })
  })

  test('that keep failing do not delay other reports, and are abandoned when due again', async () => {
    const { begin, until, sleep, wellBefore } = await from('2024-05-04T12:00:00Z')
    const jobs = ['a', 'b', 'c'].map((name) => job(`report:${name}`, '0 8 * * *', 'UTC'))
    const act = async ({ name }: Job, _signal: AbortSignal, free: () => void): Promise<RunResult> => {
      await sleep(MINUTE)
      free()
      if (name !== 'report:a') return ok
      await sleep(30 * MINUTE)
      return { outcome: 'undelivered', error: 'HTTP 503' }
    }
    const one = begin(jobs, { before: await wellBefore(jobs), act })
    await until('2024-05-05T08:04:00Z')
    expect(one.order()).toEqual(['report:a 08:00', 'report:b 08:01', 'report:c 08:02'])
    await until('2024-05-06T08:33:00Z')
    await one.stop()
    expect(one.lines.join('\n')).toMatch(/given up.*2024-05-05T08:00:00/)
  })
})

describe.runIf('PostgreSQL' in allRecords)('schedulers that share jobs', () => {
  const from = sharedRecords(allRecords.PostgreSQL!)

  test('run each job once, and run a report only after the syncs of all schedulers', async () => {
    const { begin, until, sleep, wellBefore } = await from('2024-05-01T12:00:00Z')
    const jobs = [...['a', 'b', 'c'].map((name) => job(`sync:${name}`, '0 2 * * *')), report]
    await wellBefore(jobs)
    await until('2024-05-02T10:00:00Z')
    const act = ({ kind }: Job) => sleep(kind === 'sync' ? HOUR : MINUTE).then(() => ok)
    const both = [1, 2].map(() => begin(jobs, { act, lookMs: MINUTE * 5 }))
    await until('2024-05-02T13:00:00Z')
    for (const one of both) await one.stop()
    expect(both.flatMap((one) => one.order()).sort()).toEqual([
      ...['report:mtta 12:00', 'sync:a 10:00', 'sync:b 10:00', 'sync:c 11:00'],
    ])
    expect(both.map((one) => one.of('sync:a').length + one.of('sync:b').length)).toEqual([1, 1])
  })
})
