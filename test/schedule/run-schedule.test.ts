import { describe, expect, test } from 'vitest'
import { parseCron } from '../../src/schedule/cron.ts'
import type { JobState } from '../../src/schedule/health.ts'
import { healthOf, recordsOf } from '../../src/schedule/health.ts'
import { type Job, type JobRecord, newRecord } from '../../src/schedule/job.ts'
import { type RunResult, runSchedule } from '../../src/schedule/run-schedule.ts'
import { type VirtualTime, virtualTime } from './virtual-time.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const at = (text: string) => Date.parse(text)
const ok: RunResult = { outcome: 'ok', error: null }
const failed: RunResult = { outcome: 'failed', error: 'the service is away' }

function job(name: string, cron: string, timezone = 'Europe/Berlin'): Job {
  const [kind, subject] = name.split(':') as [Job['kind'], string | undefined]
  return { name, kind, subject, cron: parseCron(cron, name), timezone }
}

const nightly = job('sync', '30 2 * * *')
const report = job('report:mtta', '0 8 * * *')

/** A process with a schedule: what it ran and when, and what it last wrote of itself. */
function process(
  time: VirtualTime,
  jobs: readonly Job[],
  options: {
    act?: (job: Job, signal: AbortSignal) => Promise<RunResult>
    records?: ReadonlyMap<string, JobRecord>
    catchUp?: boolean
    lookMs?: number
  } = {},
) {
  const stopping = new AbortController()
  const runs: { name: string; at: string }[] = []
  const saved: { state: string; jobs: readonly JobState[] }[] = []
  const ended = runSchedule({
    jobs,
    records: options.records ?? new Map(),
    notBefore: (options.catchUp ?? true) ? 0 : time.now(),
    effects: time,
    signal: stopping.signal,
    ...(options.lookMs === undefined ? {} : { lookMs: options.lookMs }),
    run: (one, signal) => {
      runs.push({ name: one.name, at: new Date(time.now()).toISOString().slice(0, 16) })
      return options.act ? options.act(one, signal) : Promise.resolve(ok)
    },
    save: (state, states) => saved.push({ state, jobs: states }),
  })
  return {
    runs,
    saved,
    of: (name: string) => runs.filter((run) => run.name === name).map((run) => run.at),
    stop: async () => {
      stopping.abort(new Error('stopped by SIGTERM'))
      return ended
    },
    /** What the next process reads from the health file, whether this one ended or died. */
    remembered: () => {
      const last = saved.at(-1)!
      const facts = { pid: 1, startedAt: 0, now: time.now() }
      return recordsOf(JSON.parse(JSON.stringify(healthOf(last.state as 'waiting', facts, last.jobs))))
    },
  }
}

/** A record of a night that was good. */
async function afterAGoodNight(start: string, jobs: readonly Job[] = [nightly]) {
  const time = virtualTime(at(start))
  const one = process(time, jobs)
  await time.until(time.now() + MINUTE)
  await one.stop()
  return { time, records: one.remembered() }
}

test('a year of nights: one sync each, in local time, whatever the clocks do', async () => {
  const { time, records } = await afterAGoodNight('2024-01-01T12:00:00Z')
  const year = process(time, [nightly], { records, lookMs: HOUR })
  await time.until(at('2025-01-01T12:00:00Z'))
  await year.stop()
  const nights = year.of('sync')
  expect(nights).toHaveLength(366)
  expect(new Set(nights.map((night) => night.slice(0, 10)))).toHaveProperty('size', 366)
  expect(nights).toContain('2024-03-31T01:00')
  expect(nights).toContain('2024-10-27T00:30')
  expect(nights.filter((night) => !/T(01:30|00:30|01:00)$/.test(night))).toEqual([])
})

describe('what was missed', () => {
  test('a first start syncs at once; a report waits for its time', async () => {
    const time = virtualTime(at('2024-05-01T12:00:00Z'))
    const first = process(time, [report, nightly])
    await time.until(at('2024-05-02T12:00:00Z'))
    await first.stop()
    expect(first.of('sync')).toEqual(['2024-05-01T12:00', '2024-05-02T00:30'])
    expect(first.of('report:mtta')).toEqual(['2024-05-02T06:00'])
  })

  test('ten nights are made up for once, the sync before the report', async () => {
    const { records } = await afterAGoodNight('2024-05-01T12:00:00Z', [nightly, report])
    const later = virtualTime(at('2024-05-11T10:00:00Z'))
    const back = process(later, [report, nightly], {
      records,
      act: async () => {
        await later.sleep(20 * MINUTE)
        return ok
      },
    })
    await later.until(at('2024-05-12T12:00:00Z'))
    await back.stop()
    expect(back.runs.map((run) => `${run.name} ${run.at}`)).toEqual([
      'sync 2024-05-11T10:00',
      'report:mtta 2024-05-11T10:20',
      'sync 2024-05-12T00:30',
      'report:mtta 2024-05-12T06:00',
    ])
  })

  test('is let go where that is asked for', async () => {
    const { records } = await afterAGoodNight('2024-05-01T12:00:00Z')
    const later = virtualTime(at('2024-05-11T10:00:00Z'))
    const back = process(later, [nightly], { records, catchUp: false })
    await later.until(at('2024-05-12T12:00:00Z'))
    await back.stop()
    expect(back.of('sync')).toEqual(['2024-05-12T00:30'])
    const fresh = process(later, [nightly], { catchUp: false })
    await later.until(at('2024-05-13T12:00:00Z'))
    await fresh.stop()
    expect(fresh.of('sync')).toEqual(['2024-05-13T00:30'])
  })

  test('a restart the same day does nothing', async () => {
    const { time, records } = await afterAGoodNight('2024-05-01T01:00:00Z')
    const again = process(time, [nightly], { records })
    await time.until(at('2024-05-01T23:00:00Z'))
    await again.stop()
    expect(again.runs).toEqual([])
  })

  test('a machine that slept over the night notices within a minute', async () => {
    const { time, records } = await afterAGoodNight('2024-05-01T12:00:00Z')
    const one = process(time, [nightly], { records })
    await time.until(at('2024-05-01T20:00:00Z'))
    time.set(at('2024-05-02T07:00:00Z'))
    await time.until(at('2024-05-02T07:01:30Z'))
    await one.stop()
    expect(one.runs).toHaveLength(1)
  })

  test('a clock that was a year ahead and is set right does not stop the nights', async () => {
    const { time, records } = await afterAGoodNight('2025-05-01T12:00:00Z')
    const one = process(time, [nightly], { records })
    await time.until(at('2025-05-01T13:00:00Z'))
    time.set(at('2024-05-01T13:00:00Z'))
    await time.until(at('2024-05-04T12:00:00Z'))
    await one.stop()
    expect(one.of('sync')).toEqual(['2024-05-02T00:30', '2024-05-03T00:30', '2024-05-04T00:30'])
  })

  test('nor does it where nothing is made up for, or an account was never synced', async () => {
    const time = virtualTime(at('2025-05-01T12:00:00Z'))
    const records = new Map([
      ['sync', { ...newRecord(time.now()), startedAt: time.now(), finishedAt: time.now() }],
    ])
    const letGo = process(time, [nightly], { records, catchUp: false })
    const first = process(time, [job('sync:emea', '0 2 * * *'), job('sync:apac', '0 2 * * *')], {
      act: (one) => (one.name === 'sync:emea' ? time.sleep(2 * HOUR).then(() => ok) : Promise.resolve(ok)),
    })
    await time.until(at('2025-05-01T13:00:00Z'))
    time.set(at('2024-05-01T13:00:00Z'))
    await time.until(at('2024-05-02T12:00:00Z'))
    await letGo.stop()
    await first.stop()
    expect(letGo.of('sync')).toEqual(['2024-05-02T00:30'])
    expect(first.of('sync:apac')).toEqual(['2024-05-01T14:00', '2024-05-02T02:00'])
  })
})

describe('a sync that takes long', () => {
  test('is not started twice; what came due meanwhile is done once, and said', async () => {
    const { time, records } = await afterAGoodNight('2024-05-01T12:00:00Z')
    let underWay = 0
    let most = 0
    const slow = process(time, [nightly], {
      records,
      act: async () => {
        underWay++
        most = Math.max(most, underWay)
        await time.sleep(underWay + slow.runs.length === 2 ? 60 * HOUR : HOUR)
        underWay--
        return ok
      },
    })
    await time.until(at('2024-05-06T12:00:00Z'))
    await slow.stop()
    expect(most).toBe(1)
    expect(slow.of('sync')).toEqual([
      '2024-05-02T00:30',
      '2024-05-04T12:30',
      '2024-05-05T00:30',
      '2024-05-06T00:30',
    ])
    const said = time.lines.filter(({ message }) => message.startsWith('job is due again'))
    expect(said).toHaveLength(1)
  })

  test('a report waits for it, but not for hours', async () => {
    const early = job('report:mtta', '0 3 * * *')
    const { time, records } = await afterAGoodNight('2024-05-01T12:00:00Z', [nightly, early])
    const durations = [HOUR, 5 * HOUR]
    const one = process(time, [nightly, early], {
      records,
      act: async ({ kind }) => {
        if (kind === 'sync') await time.sleep(durations.shift()!)
        return ok
      },
    })
    await time.until(at('2024-05-03T12:00:00Z'))
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
    const time = virtualTime(at('2024-05-01T12:00:00Z'))
    const one = process(time, [often, report], {
      act: async ({ kind }) => {
        await time.sleep((kind === 'sync' ? 11 : 1) * MINUTE)
        return ok
      },
    })
    await time.until(at('2024-05-03T12:00:00Z'))
    const stopped = one.stop()
    await time.until(at('2024-05-03T13:00:00Z'))
    await stopped
    expect(one.of('report:mtta')).toHaveLength(2)
    for (const when of one.of('report:mtta')) expect(when).toMatch(/T06:(0|1|2)\d$/)
  })

  test('syncs of several accounts take turns', async () => {
    const time = virtualTime(at('2024-05-01T12:00:00Z'))
    const jobs = [job('sync:emea', '0 2 * * *'), job('sync:apac', '0 2 * * *', 'Asia/Tokyo')]
    let underWay = 0
    const one = process(time, jobs, {
      act: async () => {
        expect(++underWay).toBe(1)
        await time.sleep(HOUR)
        underWay--
        return ok
      },
    })
    await time.until(at('2024-05-02T12:00:00Z'))
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
  test('is tried again twice, then waits for the next night', async () => {
    const { time, records } = await afterAGoodNight('2024-05-01T12:00:00Z')
    const one = process(time, [nightly], { records, act: async () => failed })
    await time.until(at('2024-05-03T01:00:00Z'))
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
    const { time, records } = await afterAGoodNight('2024-05-01T12:00:00Z', [nightly, report])
    const one = process(time, [nightly, report], {
      records,
      act: async ({ kind }) => {
        if (kind === 'sync') throw new Error('no space left')
        return ok
      },
    })
    await time.until(at('2024-05-02T06:30:00Z'))
    await one.stop()
    expect(one.of('report:mtta')).toEqual(['2024-05-02T06:00'])
    expect(one.remembered().get('sync')?.error).toBe('no space left')
  })
})

describe('the end', () => {
  test('stopped while it syncs: the sync is told, and goes on at the next start, at once', async () => {
    const { time, records } = await afterAGoodNight('2024-05-01T12:00:00Z')
    const one = process(time, [nightly], {
      records,
      act: async (_, signal) => {
        await time.sleep(HOUR, signal)
        return ok
      },
    })
    await time.until(at('2024-05-02T00:40:00Z'))
    expect(one.saved.at(-1)).toMatchObject({ state: 'running' })
    expect(await one.stop()).toBe(true)
    expect(one.saved.at(-1)).toMatchObject({ state: 'stopped' })
    expect(one.remembered().get('sync')).toMatchObject({ outcome: 'stopped', failures: 0 })
    const again = process(time, [nightly], { records: one.remembered() })
    await time.until(at('2024-05-02T12:00:00Z'))
    await again.stop()
    expect(again.of('sync')).toEqual(['2024-05-02T00:40'])
  })

  test('killed while it syncs: it goes on at the next start, but a sync that kills it is not tried for ever', async () => {
    const first = await afterAGoodNight('2024-05-01T12:00:00Z')
    const { time } = first
    let { records } = first
    const runs: string[] = []
    for (let life = 0; life < 6; life++) {
      const one = process(time, [nightly], { records, act: () => new Promise(() => {}) })
      await time.until(Math.max(time.now(), at('2024-05-02T00:30:00Z')) + 2 * MINUTE)
      runs.push(...one.of('sync'))
      records = one.remembered()
    }
    expect(runs).toEqual(['2024-05-02T00:30', '2024-05-02T00:32', '2024-05-02T00:34'])
  })

  test('a job that does not end is given up after a while', async () => {
    const time = virtualTime(at('2024-05-01T12:00:00Z'))
    const one = process(time, [nightly], { act: () => new Promise(() => {}) })
    await time.until(at('2024-05-01T12:01:00Z'))
    const ended = one.stop()
    await time.until(at('2024-05-01T12:01:20Z'))
    expect(await ended).toBe(false)
    expect(one.remembered().get('sync')).toMatchObject({ outcome: 'interrupted', failures: 1 })
  })
})

test('the state is written every minute, with what comes next', async () => {
  const { time, records } = await afterAGoodNight('2024-05-01T12:00:00Z')
  const one = process(time, [nightly], { records })
  await time.until(time.now() + DAY)
  await one.stop()
  expect(one.saved.length).toBeGreaterThanOrEqual(DAY / MINUTE)
  expect(one.saved[0]?.jobs[0]?.nextRunAt).toBe(at('2024-05-02T00:30:00Z'))
})
