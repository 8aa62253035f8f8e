import { describe, expect, test, vi } from 'vitest'
import type { Job } from '../../src/schedule/jobs.ts'
import { newRecord } from '../../src/schedule/record.ts'
import type { RunResult } from '../../src/schedule/run-job.ts'
import {
  afterAGoodNight,
  at,
  failed,
  HOUR,
  job,
  MINUTE,
  nightly,
  ok,
  process,
  report,
  sleep,
  until,
  useFakeTimers,
} from './daemon.ts'

useFakeTimers()

describe('a missed run', () => {
  test('a first start syncs at once, then makes every report once before its time', async () => {
    vi.setSystemTime(at('2024-05-01T12:00:00Z'))
    const first = process([report, nightly])
    await until(at('2024-05-02T12:00:00Z'))
    await first.stop()
    expect(first.of('sync')).toEqual(['2024-05-01T12:00', '2024-05-02T00:30'])
    expect(first.of('report:mtta')).toEqual(['2024-05-01T12:00', '2024-05-02T06:00'])
    expect(first.runs.map(({ name, isFirst }) => [name, isFirst])).toEqual([
      ['sync', true],
      ['report:mtta', true],
      ['sync', false],
      ['report:mtta', false],
    ])
  })

  test('ten nights are caught up once, the sync before the report', async () => {
    const records = await afterAGoodNight('2024-05-01T12:00:00Z', [nightly, report])
    vi.setSystemTime(at('2024-05-11T10:00:00Z'))
    const back = process([report, nightly], {
      records,
      act: async () => {
        await sleep(20 * MINUTE)
        return ok
      },
    })
    await until(at('2024-05-12T12:00:00Z'))
    await back.stop()
    expect(back.runs.map((run) => `${run.name} ${run.at}`)).toEqual([
      'sync 2024-05-11T10:00',
      'report:mtta 2024-05-11T10:20',
      'sync 2024-05-12T00:30',
      'report:mtta 2024-05-12T06:00',
    ])
  })

  test('is not caught up where that is asked for', async () => {
    const records = await afterAGoodNight('2024-05-01T12:00:00Z')
    vi.setSystemTime(at('2024-05-11T10:00:00Z'))
    const back = process([nightly], { records, catchUp: false })
    await until(at('2024-05-12T12:00:00Z'))
    await back.stop()
    expect(back.of('sync')).toEqual(['2024-05-12T00:30'])
    const fresh = process([nightly], { catchUp: false })
    await until(at('2024-05-13T12:00:00Z'))
    await fresh.stop()
    expect(fresh.of('sync')).toEqual(['2024-05-13T00:30'])
  })

  test('a restart the same day does nothing', async () => {
    const records = await afterAGoodNight('2024-05-01T01:00:00Z')
    const again = process([nightly], { records })
    await until(at('2024-05-01T23:00:00Z'))
    await again.stop()
    expect(again.runs).toEqual([])
  })

  test('a machine that slept over the night notices within a minute', async () => {
    const records = await afterAGoodNight('2024-05-01T12:00:00Z')
    const one = process([nightly], { records, lookMs: null })
    await until(at('2024-05-01T20:00:00Z'))
    vi.setSystemTime(at('2024-05-02T07:00:00Z'))
    await until(at('2024-05-02T07:01:30Z'))
    await one.stop()
    expect(one.runs).toHaveLength(1)
  })

  test('a clock that was a year ahead and is set right does not stop the nights', async () => {
    const records = await afterAGoodNight('2025-05-01T12:00:00Z')
    const one = process([nightly], { records })
    await until(at('2025-05-01T13:00:00Z'))
    vi.setSystemTime(at('2024-05-01T13:00:00Z'))
    await until(at('2024-05-04T12:00:00Z'))
    await one.stop()
    expect(one.of('sync')).toEqual(['2024-05-02T00:30', '2024-05-03T00:30', '2024-05-04T00:30'])
  })

  test('nor does it where nothing is caught up, or an account was never synced', async () => {
    vi.setSystemTime(at('2025-05-01T12:00:00Z'))
    const records = new Map([
      ['sync', { ...newRecord(Date.now()), startedAt: Date.now(), finishedAt: Date.now() }],
    ])
    const notCaughtUp = process([nightly], { records, catchUp: false })
    const first = process([job('sync:emea', '0 2 * * *'), job('sync:apac', '0 2 * * *')], {
      act: (one) => (one.name === 'sync:emea' ? sleep(2 * HOUR).then(() => ok) : Promise.resolve(ok)),
    })
    await until(at('2025-05-01T13:00:00Z'))
    vi.setSystemTime(at('2024-05-01T13:00:00Z'))
    await until(at('2024-05-02T12:00:00Z'))
    await notCaughtUp.stop()
    await first.stop()
    expect(notCaughtUp.of('sync')).toEqual(['2024-05-02T00:30'])
    expect(first.of('sync:apac')).toEqual(['2024-05-01T14:00', '2024-05-02T02:00'])
  })
})

describe('a sync that takes long', () => {
  test('is not started twice; what came due meanwhile is caught up once, and logged', async () => {
    const records = await afterAGoodNight('2024-05-01T12:00:00Z')
    let underWay = 0
    let most = 0
    const slow = process([nightly], {
      records,
      act: async () => {
        underWay++
        most = Math.max(most, underWay)
        await sleep(underWay + slow.runs.length === 2 ? 60 * HOUR : HOUR)
        underWay--
        return ok
      },
    })
    await until(at('2024-05-06T12:00:00Z'))
    await slow.stop()
    expect(most).toBe(1)
    expect(slow.of('sync')).toEqual([
      '2024-05-02T00:30',
      '2024-05-04T12:30',
      '2024-05-05T00:30',
      '2024-05-06T00:30',
    ])
    // Of two nights that came while it ran.
    expect(slow.lines.filter((line) => /task still running/.test(line))).toHaveLength(2)
  })

  test('a report waits for it, but not for hours', async () => {
    const early = job('report:mtta', '0 3 * * *')
    const records = await afterAGoodNight('2024-05-01T12:00:00Z', [nightly, early])
    const durations = [HOUR, 5 * HOUR]
    const one = process([nightly, early], {
      records,
      act: async ({ kind }) => {
        if (kind === 'sync') await sleep(durations.shift()!)
        return ok
      },
    })
    await until(at('2024-05-03T12:00:00Z'))
    await one.stop()
    expect(one.runs.map((run) => `${run.name} ${run.at}`)).toEqual([
      'sync 2024-05-02T00:30',
      'report:mtta 2024-05-02T01:30',
      'sync 2024-05-03T00:30',
      'report:mtta 2024-05-03T02:30',
    ])
  })

  test('a report has its turn where syncs take longer than they are apart', async () => {
    const often = job('sync', '*/10 * * * *')
    vi.setSystemTime(at('2024-05-01T12:00:00Z'))
    const one = process([often, report], {
      act: async ({ kind }) => {
        await sleep((kind === 'sync' ? 11 : 1) * MINUTE)
        return ok
      },
    })
    await until(at('2024-05-03T12:00:00Z'))
    const stopped = one.stop()
    await until(at('2024-05-03T13:00:00Z'))
    await stopped
    const nightly = one.of('report:mtta').slice(1)
    expect(nightly).toHaveLength(2)
    for (const when of nightly) expect(when).toMatch(/T06:(0|1|2)\d$/)
  })

  test('syncs of several accounts take turns', async () => {
    vi.setSystemTime(at('2024-05-01T12:00:00Z'))
    const jobs = [job('sync:emea', '0 2 * * *'), job('sync:apac', '0 2 * * *', 'Asia/Tokyo')]
    let underWay = 0
    const one = process(jobs, {
      act: async () => {
        expect(++underWay).toBe(1)
        await sleep(HOUR)
        underWay--
        return ok
      },
    })
    await until(at('2024-05-02T12:00:00Z'))
    await one.stop()
    expect(one.runs.map((run) => `${run.name} ${run.at}`)).toEqual([
      'sync:emea 2024-05-01T12:00',
      'sync:apac 2024-05-01T13:00',
      'sync:apac 2024-05-01T17:00',
      'sync:emea 2024-05-02T00:00',
    ])
  })
})

describe('a sync that fails', () => {
  test('is retried twice, then waits for the next night', async () => {
    const records = await afterAGoodNight('2024-05-01T12:00:00Z')
    const one = process([nightly], { records, act: async () => failed })
    await until(at('2024-05-03T01:00:00Z'))
    await one.stop()
    expect(one.of('sync')).toEqual([
      '2024-05-02T00:30',
      '2024-05-02T00:40',
      '2024-05-02T01:10',
      '2024-05-03T00:30',
    ])
    expect(one.remembered().get('sync')).toMatchObject({
      outcome: 'failed',
      error: 'the service is away',
      failures: 4,
    })
  })

  test('what it throws is a failure, and the others go on', async () => {
    const records = await afterAGoodNight('2024-05-01T12:00:00Z', [nightly, report])
    const one = process([nightly, report], {
      records,
      act: async ({ kind }) => {
        if (kind === 'sync') throw new Error('no space left')
        return ok
      },
    })
    await until(at('2024-05-02T06:30:00Z'))
    await one.stop()
    expect(one.of('report:mtta')).toEqual(['2024-05-02T06:00'])
    expect(one.remembered().get('sync')?.error).toBe('no space left')
  })
})

describe('a report that does not get to everyone', () => {
  const weekly = job('report:weekly', '0 8 * * MON', 'UTC')
  const daily = job('report:daily', '0 8 * * *', 'UTC')
  const undelivered: RunResult = { outcome: 'undelivered', error: 'HTTP 503' }
  const minutes = (times: readonly string[], from: string) =>
    times.map((time) => (at(`${time}Z`) - at(from)) / MINUTE)

  test('is tried again for most of a day, for the same time, also over a restart', async () => {
    const records = await afterAGoodNight('2024-05-04T12:00:00Z', [weekly])
    const one = process([weekly], { records, act: async () => undelivered, lookMs: MINUTE })
    await until(at('2024-05-08T12:00:00Z'))
    await one.stop()
    expect(minutes(one.of('report:weekly'), '2024-05-06T08:00Z')).toEqual([
      ...[0, 5, 20, 50, 110, 230, 470, 710, 950, 1190],
    ])
    expect(new Set(one.runs.map(({ due }) => due))).toEqual(new Set(['2024-05-06T08:00']))
    expect(one.lines.join('\n')).toMatch(/job ended .*HTTP 503.*"next":"2024-05-06T08:05:00/)
    const mended = process([weekly], { records: one.remembered() })
    await until(at('2024-05-09T12:00:00Z'))
    await mended.stop()
    expect(mended.runs.map(({ due, isFirst }) => [due, isFirst])).toEqual([['2024-05-06T08:00', false]])
  })

  test('is given up when it is due anew, and the log says so', async () => {
    const records = await afterAGoodNight('2024-05-04T12:00:00Z', [daily])
    const one = process([daily], { records, act: async () => undelivered })
    await until(at('2024-05-06T08:01:00Z'))
    await one.stop()
    expect(one.runs.at(-1)?.due).toBe('2024-05-06T08:00')
    expect(one.lines.join('\n')).toMatch(/given up.*2024-05-05T08:00:00.*HTTP 503/)
  })

  test('holds no other up while it waits for its target', async () => {
    const jobs = [daily, job('report:b', '0 8 * * *', 'UTC'), job('report:c', '0 8 * * *', 'UTC')]
    const records = await afterAGoodNight('2024-05-04T12:00:00Z', jobs)
    let making = 0
    const one = process(jobs, {
      records,
      act: async (_, __, free) => {
        expect(++making).toBe(1)
        await sleep(MINUTE)
        making--
        free()
        await sleep(30 * MINUTE)
        return undelivered
      },
    })
    await until(at('2024-05-05T08:04:00Z'))
    expect(one.runs.map((run) => `${run.name} ${run.at.slice(11)}`)).toEqual([
      'report:daily 08:00',
      'report:b 08:01',
      'report:c 08:02',
    ])
    await until(at('2024-05-05T08:33:00Z'))
    await one.stop()
  })
})

describe('a restart', () => {
  const early = job('report:mtta', '35 2 * * *')
  const order = (one: { runs: { name: string; at: string }[] }) =>
    one.runs.map((run) => `${run.name} ${run.at.slice(11)}`)

  test.each(['stopped', 'killed'])('%s in a sync: reports wait for it as they did before', async (how) => {
    const records = await afterAGoodNight('2024-05-01T12:00:00Z', [nightly, early])
    const act = async ({ kind }: Job, signal: AbortSignal) => {
      if (kind === 'sync') await sleep(20 * MINUTE, signal)
      return ok
    }
    const one = process([nightly, early], { records, act })
    await until(at('2024-05-02T00:40:00Z'))
    expect(order(one)).toEqual(['sync 00:30'])
    const killed = one.remembered()
    await one.stop()
    vi.setSystemTime(at('2024-05-02T00:41:00Z'))
    const again = process([nightly, early], { records: how === 'killed' ? killed : one.remembered(), act })
    await until(at('2024-05-02T12:00:00Z'))
    await again.stop()
    expect(order(again)).toEqual(['sync 00:41', 'report:mtta 01:01'])
    expect(again.runs.map(({ due }) => due)).toEqual(['2024-05-02T00:30', '2024-05-02T00:35'])
  })

  test('tries at once what failed, and its log says when the next try is', async () => {
    vi.setSystemTime(at('2024-05-01T12:00:00Z'))
    let hasData = false
    const first = process([nightly, report], { act: async () => failed, hasData: () => hasData })
    await until(at('2024-05-01T12:01:00Z'))
    expect(order(first)).toEqual(['sync 12:00'])
    expect(first.lines.join('\n')).toMatch(/job ended .*"next":"2024-05-01T12:10:00/)
    await first.stop()
    const mended = process([nightly, report], {
      records: first.remembered(),
      hasData: () => hasData,
      act: async ({ kind }) => {
        await sleep(MINUTE)
        hasData ||= kind === 'sync'
        return ok
      },
    })
    await until(at('2024-05-02T12:00:00Z'))
    await mended.stop()
    expect(order(mended)).toEqual(['sync 12:01', 'report:mtta 12:02', 'sync 00:30', 'report:mtta 06:00'])
    // Still the page that is made before its time.
    expect(mended.runs.map(({ isFirst }) => isFirst)).toEqual([true, true, false, false])
  })

  test('before the clock was set back does not keep what fails since from its retries', async () => {
    const records = await afterAGoodNight('2025-05-01T12:00:00Z')
    const one = process([nightly], { records, act: async () => failed })
    await until(at('2025-05-01T13:00:00Z'))
    vi.setSystemTime(at('2024-05-01T13:00:00Z'))
    await until(at('2024-05-02T02:00:00Z'))
    await one.stop()
    expect(one.of('sync')).toEqual(['2024-05-02T00:30', '2024-05-02T00:40', '2024-05-02T01:10'])
  })

  test('does not wait for what a sync that takes hours holds up', async () => {
    const jobs = [job('sync:emea', '0 2 * * *'), job('sync:apac', '5 2 * * *'), early]
    const records = await afterAGoodNight('2024-05-01T12:00:00Z', jobs)
    const one = process(jobs, {
      records,
      lookMs: MINUTE,
      act: async ({ name }) => {
        if (name === 'sync:emea') await sleep(9 * HOUR)
        return ok
      },
    })
    await until(at('2024-05-02T10:00:00Z'))
    const ended = one.stop()
    await until(at('2024-05-02T10:01:00Z'))
    await ended
    expect(order(one)).toEqual(['sync:emea 00:00', 'report:mtta 02:00', 'sync:apac 09:00'])
  })
})

describe('the end', () => {
  test('stopped while it syncs: the sync is aborted, and goes on at the next start, at once', async () => {
    const records = await afterAGoodNight('2024-05-01T12:00:00Z')
    const one = process([nightly], {
      records,
      act: async (_, signal) => {
        await sleep(HOUR, signal)
        return ok
      },
    })
    await until(at('2024-05-02T00:40:00Z'))
    expect(one.saved.at(-1)).toMatchObject({ state: 'running' })
    expect(await one.stop()).toBe(true)
    expect(one.saved.at(-1)).toMatchObject({ state: 'stopped' })
    expect(one.remembered().get('sync')).toMatchObject({ outcome: 'stopped', failures: 0 })
    const again = process([nightly], { records: one.remembered() })
    await until(at('2024-05-02T12:00:00Z'))
    await again.stop()
    expect(again.of('sync')).toEqual(['2024-05-02T00:40'])
  })

  test('killed while it syncs: it goes on at the next start, but a sync that kills it is not retried for ever', async () => {
    let records = await afterAGoodNight('2024-05-01T12:00:00Z')
    const runs: string[] = []
    for (let life = 0; life < 6; life++) {
      const one = process([nightly], { records, act: () => new Promise(() => {}) })
      await until(Math.max(Date.now(), at('2024-05-02T00:30:00Z')) + 2 * MINUTE)
      runs.push(...one.of('sync'))
      records = one.remembered()
    }
    expect(runs).toEqual(['2024-05-02T00:30', '2024-05-02T00:32', '2024-05-02T00:34'])
    vi.clearAllTimers()
  })

  test('a job that does not end is given up after a while', async () => {
    vi.setSystemTime(at('2024-05-01T12:00:00Z'))
    const one = process([nightly], { act: () => new Promise(() => {}) })
    await until(at('2024-05-01T12:01:00Z'))
    const ended = one.stop()
    await until(at('2024-05-01T12:01:20Z'))
    expect(await ended).toBe(false)
    expect(one.remembered().get('sync')).toMatchObject({ outcome: 'interrupted', failures: 1 })
  })
})
