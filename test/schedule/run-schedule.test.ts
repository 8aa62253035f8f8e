import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { realEffects } from '../../src/effects.ts'
import { parseCron } from '../../src/schedule/cron.ts'
import type { JobState } from '../../src/schedule/due.ts'
import { healthOf, recordsOf } from '../../src/schedule/health.ts'
import type { Job } from '../../src/schedule/jobs.ts'
import { type JobRecord, newRecord } from '../../src/schedule/record.ts'
import { type RunResult, runSchedule } from '../../src/schedule/run-schedule.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const at = (text: string) => Date.parse(text)
const ok: RunResult = { outcome: 'ok', error: null }
const failed: RunResult = { outcome: 'failed', error: 'the service is away' }

// node-cron takes the time from the runtime's clock and timers: the tests move those, and nothing waits.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  expect(vi.getTimerCount(), 'timers that are left').toBe(0)
  vi.useRealTimers()
})

/** Runs everything up to a moment, Unix ms. */
async function until(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms - Date.now())
}

const sleep = (ms: number, signal?: AbortSignal) => realEffects().sleep(ms, signal)

function job(name: string, cron: string, timezone = 'Europe/Berlin'): Job {
  const [kind, subject] = name.split(':') as [Job['kind'], string | undefined]
  return { name, kind, subject, cron: parseCron(cron, timezone, name) }
}

const nightly = job('sync', '30 2 * * *')
const report = job('report:mtta', '0 8 * * *')

/** A process with a schedule: what it ran and when, what it logged, and what it last wrote of itself. */
function process(
  jobs: readonly Job[],
  options: {
    act?: (job: Job, signal: AbortSignal, free: () => void) => Promise<RunResult>
    records?: ReadonlyMap<string, JobRecord>
    catchUp?: boolean
    hasData?: () => boolean
    /** Ten minutes, which tests go through sooner, unless given; null for what is the default in production. */
    lookMs?: number | null
  } = {},
) {
  const stopping = new AbortController()
  const runs: { name: string; at: string; due: string; isFirst: boolean }[] = []
  const saved: { state: string; jobs: readonly JobState[] }[] = []
  const lines: string[] = []
  const log = (message: string, facts: object = {}) => void lines.push(`${message} ${JSON.stringify(facts)}`)
  /** Two readings of a clock are never the same. */
  let readings = 0
  const ended = runSchedule({
    jobs,
    records: options.records ?? new Map(),
    catchUp: options.catchUp ?? true,
    hasData: options.hasData ?? (() => true),
    effects: {
      ...realEffects({ debug: log, info: log, warn: log }),
      now: () => Date.now() + readings++ / 1_000,
    },
    signal: stopping.signal,
    ...(options.lookMs === null ? {} : { lookMs: options.lookMs ?? 10 * MINUTE }),
    run: (one, signal, { due, isFirst, free = () => {} }) => {
      const minute = (ms: number) => new Date(ms).toISOString().slice(0, 16)
      runs.push({ name: one.name, isFirst, at: minute(Date.now()), due: minute(due) })
      return options.act ? options.act(one, signal, free) : Promise.resolve(ok)
    },
    save: (state, states) => saved.push({ state, jobs: states }),
  })
  return {
    runs,
    saved,
    lines,
    of: (name: string) => runs.filter((run) => run.name === name).map((run) => run.at),
    stop: async () => {
      stopping.abort(new Error('stopped by SIGTERM'))
      return ended
    },
    /** What the next process reads from the health file, whether this one ended or died. */
    remembered: () => {
      const last = saved.at(-1)!
      const facts = { pid: 1, startedAt: 0, now: Date.now() }
      return recordsOf(JSON.parse(JSON.stringify(healthOf(last.state as 'waiting', facts, last.jobs))))
    },
  }
}

/** A record of a night that was good. */
async function afterAGoodNight(start: string, jobs: readonly Job[] = [nightly]) {
  vi.setSystemTime(at(start))
  const one = process(jobs)
  await until(Date.now() + 10 * MINUTE)
  await one.stop()
  return one.remembered()
}

describe.each([
  ['Europe/Berlin', '30 2 * * *', '2024-03-29T12:00Z', ['03-30T01:30', '03-31T01:00', '04-01T00:30']],
  ['Europe/Berlin', '30 2 * * *', '2024-10-25T12:00Z', ['10-26T00:30', '10-27T00:30', '10-28T01:30']],
  ['America/New_York', '30 2 * * *', '2024-03-08T12:00Z', ['03-09T07:30', '03-10T07:00', '03-11T06:30']],
  ['America/New_York', '30 1 * * *', '2024-11-01T12:00Z', ['11-02T05:30', '11-03T05:30', '11-04T06:30']],
  // Half an hour: 02:00 to 02:29 are skipped, 01:30 to 01:59 come twice.
  ['Australia/Lord_Howe', '30 2 * * *', '2024-10-04T12:00Z', ['10-04T16:00', '10-05T15:30', '10-06T15:30']],
  ['Australia/Lord_Howe', '15 2 * * *', '2024-10-04T12:00Z', ['10-04T15:45', '10-05T15:30', '10-06T15:15']],
  ['Australia/Lord_Howe', '30 2 * * *', '2024-04-05T12:00Z', ['04-05T15:30', '04-06T16:00', '04-07T16:00']],
  ['Australia/Lord_Howe', '45 1 * * *', '2024-04-05T12:00Z', ['04-05T14:45', '04-06T14:45', '04-07T15:15']],
])('a change of the clock in %s', (zone, cron, from, nights) => {
  test(`${cron} from ${from} on: one sync each night`, async () => {
    const one = job('sync', cron, zone)
    const records = await afterAGoodNight(from, [one])
    const running = process([one], { records, lookMs: 5 * MINUTE })
    await until(Date.parse(from) + 3 * DAY)
    await running.stop()
    expect(running.of('sync').map((time) => time.slice(5))).toEqual(nights)
  })
})

test('each job is called at its time in its zone, to the second', async () => {
  vi.setSystemTime(at('2024-05-01T12:00Z'))
  const jobs = [job('report:a', '15 30 2 * * *'), job('report:b', '0 9 * * *', 'Asia/Kathmandu')]
  const seconds: string[] = []
  const one = process(jobs, {
    // Nothing is caught up meanwhile.
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

test('in the hour that comes twice, a sync of every half hour runs in both', async () => {
  vi.setSystemTime(at('2024-10-26T23:10Z'))
  const often = process([job('sync', '*/30 * * * *')])
  await until(at('2024-10-27T02:10Z'))
  await often.stop()
  expect(often.of('sync').map((time) => time.slice(11))).toEqual([
    '23:10',
    '23:30',
    '00:00',
    '00:30',
    '01:00',
    '01:30',
    '02:00',
  ])
})

test('either of two kinds of days will do', async () => {
  vi.setSystemTime(at('2024-05-01T12:00Z'))
  const one = process([job('report:a', '0 8 8 * MON', 'UTC')], { lookMs: 20 * DAY })
  await until(at('2024-05-14T12:00Z'))
  await one.stop()
  expect(one.of('report:a').slice(1)).toEqual(['2024-05-06T08:00', '2024-05-08T08:00', '2024-05-13T08:00'])
})

test('a process that was too busy at the due time runs the job at the next look', async () => {
  const records = await afterAGoodNight('2024-05-01T12:00Z')
  const one = process([nightly], { records, lookMs: null })
  await until(at('2024-05-02T00:29:59Z'))
  vi.setSystemTime(at('2024-05-02T00:30:05Z'))
  await until(Date.now() + MINUTE)
  await one.stop()
  expect(one.runs).toHaveLength(1)
  expect(one.lines.filter((line) => /missed/.test(line))).toEqual([])
})

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

test('the state is written every minute, with what comes next', async () => {
  const records = await afterAGoodNight('2024-05-01T12:00:00Z')
  const one = process([nightly], { records, lookMs: null })
  await until(Date.now() + DAY)
  await one.stop()
  expect(one.saved.length).toBeGreaterThanOrEqual(DAY / MINUTE)
  expect(one.saved[0]?.jobs[0]?.nextRunAt).toBe(at('2024-05-02T00:30:00Z'))
})
