import { describe, expect, test, vi } from 'vitest'
import { newRecord } from '../../src/schedule/job-store.ts'
import type { Job } from '../../src/schedule/jobs.ts'
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
  sleep,
  until,
  useFakeTimers,
} from './daemon.ts'

useFakeTimers()

describe('a jump of the clock', () => {
  test('over a night of sleep is noticed within a minute', async () => {
    const records = await afterAGoodNight('2024-05-01T12:00:00Z')
    const one = process([nightly], { records, lookMs: null })
    await until(at('2024-05-01T20:00:00Z'))
    vi.setSystemTime(at('2024-05-02T07:00:00Z'))
    await until(at('2024-05-02T07:01:30Z'))
    await one.stop()
    expect(one.runs).toHaveLength(1)
  })

  test('back by a year does not stop the nights', async () => {
    const records = await afterAGoodNight('2025-05-01T12:00:00Z')
    const one = process([nightly], { records })
    await until(at('2025-05-01T13:00:00Z'))
    vi.setSystemTime(at('2024-05-01T13:00:00Z'))
    await until(at('2024-05-04T12:00:00Z'))
    await one.stop()
    expect(one.of('sync')).toEqual(['2024-05-02T00:30', '2024-05-03T00:30', '2024-05-04T00:30'])
  })

  test('back by a year does not stop them without catch-up, or for an account that was never synced', async () => {
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

describe('a long sync', () => {
  test('is not started twice, and runs due in the meantime are caught up once, with a log entry', async () => {
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
    // For two nights during its run.
    expect(slow.lines.filter((line) => /task still running/.test(line))).toHaveLength(2)
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

describe('a restart', () => {
  const early = job('report:mtta', '35 2 * * *')
  const order = (one: { runs: { name: string; at: string }[] }) =>
    one.runs.map((run) => `${run.name} ${run.at.slice(11)}`)

  test('makes reports wait for a killed sync as before', async () => {
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
    const again = process([nightly, early], { records: killed, act })
    await until(at('2024-05-02T12:00:00Z'))
    await again.stop()
    expect(order(again)).toEqual(['sync 00:41', 'report:mtta 01:01'])
    expect(again.runs.map(({ due }) => due)).toEqual(['2024-05-02T00:30', '2024-05-02T00:35'])
  })

  test('retries failures from before the clock was set back', async () => {
    const records = await afterAGoodNight('2025-05-01T12:00:00Z')
    const one = process([nightly], { records, act: async () => failed })
    await until(at('2025-05-01T13:00:00Z'))
    vi.setSystemTime(at('2024-05-01T13:00:00Z'))
    await until(at('2024-05-02T02:00:00Z'))
    await one.stop()
    expect(one.of('sync')).toEqual(['2024-05-02T00:30', '2024-05-02T00:40', '2024-05-02T01:10'])
  })
})

describe('a running job', () => {
  test('is aborted by a stop, and continues at once at the next start', async () => {
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

  test('continues after a kill, but is not retried for ever if it kills the process', async () => {
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

  test('is given up after a while if it does not end', async () => {
    vi.setSystemTime(at('2024-05-01T12:00:00Z'))
    const one = process([nightly], { act: () => new Promise(() => {}) })
    await until(at('2024-05-01T12:01:00Z'))
    const ended = one.stop()
    await until(at('2024-05-01T12:01:20Z'))
    expect(await ended).toBe(false)
    expect(one.remembered().get('sync')).toMatchObject({ outcome: 'interrupted', failures: 1 })
  })
})
