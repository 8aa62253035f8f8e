import { describe, expect, test, vi } from 'vitest'
import { newRecord } from '../../src/schedule/job-store.ts'
import {
  afterAGoodNight,
  at,
  DAY,
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

test('each scheduled job runs at its time in its time zone, to the second', async () => {
  vi.setSystemTime(at('2024-05-01T12:00Z'))
  const jobs = [job('report:a', '15 30 2 * * *'), job('report:b', '0 9 * * *', 'Asia/Kathmandu')]
  const seconds: string[] = []
  const one = process(jobs, {
    // The scheduler does not check for missed jobs within this interval.
    lookMs: 20 * DAY,
    act: async ({ name }) => {
      seconds.push(`${name} ${new Date().toISOString().slice(5, 19)}`)
      return ok
    },
  })
  await until(at('2024-05-03T02:00Z'))
  await one.stop()
  expect(seconds.slice(2)).toEqual([
    'report:a 05-02T00:30:15',
    'report:b 05-02T03:15:00',
    'report:a 05-03T00:30:15',
  ])
})

test('a scheduler that was too busy at the due time runs the job at the next check', async () => {
  const records = await afterAGoodNight('2024-05-01T12:00Z')
  const one = process([nightly], { records, lookMs: null })
  await until(at('2024-05-02T00:29:59Z'))
  vi.setSystemTime(at('2024-05-02T00:30:05Z'))
  await until(Date.now() + MINUTE)
  await one.stop()
  expect(one.runs).toHaveLength(1)
  expect(one.lines.filter((line) => /missed/.test(line))).toEqual([])
})

test('the scheduler saves its state, with the next runs, every minute', async () => {
  const records = await afterAGoodNight('2024-05-01T12:00:00Z')
  const one = process([nightly], { records, lookMs: null })
  await until(Date.now() + DAY)
  await one.stop()
  expect(one.saved.length).toBeGreaterThanOrEqual(DAY / MINUTE)
  expect(one.saved[0]?.jobs[0]?.nextRunAt).toBe(at('2024-05-02T00:30:00Z'))
})

describe('a clock jump', () => {
  test('is detected within a minute if the machine slept overnight', async () => {
    const records = await afterAGoodNight('2024-05-01T12:00:00Z')
    const one = process([nightly], { records, lookMs: null })
    await until(at('2024-05-01T20:00:00Z'))
    vi.setSystemTime(at('2024-05-02T07:00:00Z'))
    await until(at('2024-05-02T07:01:30Z'))
    await one.stop()
    expect(one.runs).toHaveLength(1)
  })

  test('does not stop the nightly runs if the clock jumps back by a year', async () => {
    const records = await afterAGoodNight('2025-05-01T12:00:00Z')
    const one = process([nightly], { records })
    await until(at('2025-05-01T13:00:00Z'))
    vi.setSystemTime(at('2024-05-01T13:00:00Z'))
    await until(at('2024-05-04T12:00:00Z'))
    await one.stop()
    expect(one.of('sync')).toEqual(['2024-05-02T00:30', '2024-05-03T00:30', '2024-05-04T00:30'])
  })

  test('does not stop the nightly runs if catching up is disabled', async () => {
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

describe('a schedule started before the clock was set back', () => {
  test('retries jobs that failed afterwards', async () => {
    const records = await afterAGoodNight('2025-05-01T12:00:00Z')
    const one = process([nightly], { records, act: async () => failed })
    await until(at('2025-05-01T13:00:00Z'))
    vi.setSystemTime(at('2024-05-01T13:00:00Z'))
    await until(at('2024-05-02T02:00:00Z'))
    await one.stop()
    expect(one.of('sync')).toEqual(['2024-05-02T00:30', '2024-05-02T00:40', '2024-05-02T01:10'])
  })
})

describe('the scheduler', () => {
  test('runs a killed sync again at the next start, but at most twice', async () => {
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

  test('abandons a job that does not end within 20 seconds of a stop', async () => {
    vi.setSystemTime(at('2024-05-01T12:00:00Z'))
    const one = process([nightly], { act: () => new Promise(() => {}) })
    await until(at('2024-05-01T12:01:00Z'))
    const ended = one.stop()
    await until(at('2024-05-01T12:01:20Z'))
    expect(await ended).toBe(false)
    expect(one.remembered().get('sync')).toMatchObject({ outcome: 'interrupted', failures: 1 })
  })
})
