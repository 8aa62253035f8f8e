import { afterEach, beforeEach, expect, vi } from 'vitest'
import { realEffects } from '../../src/effects.ts'
import type { JobState } from '../../src/schedule/due.ts'
import { fileStore } from '../../src/schedule/file-store.ts'
import { healthOf, recordsOf } from '../../src/schedule/health.ts'
import type { JobRecord, RunResult } from '../../src/schedule/job-store.ts'
import type { Job } from '../../src/schedule/jobs.ts'
import { runSchedule } from '../../src/schedule/run-schedule.ts'
import { parseCron } from '../../src/settings/cron.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
export const at = (text: string) => Date.parse(text)
export const ok: RunResult = { outcome: 'ok', error: null }
export const failed: RunResult = { outcome: 'failed', error: 'the service is away' }

/** Moves the clock and the timers that node-cron uses, so that tests of a file need no real waits. */
export function useFakeTimers(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    expect(vi.getTimerCount(), 'timers that are left').toBe(0)
    vi.useRealTimers()
  })
}

/** Advances the fake clock to a time in Unix ms. */
export async function until(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms - Date.now())
}

export const sleep = (ms: number, signal?: AbortSignal) => realEffects().sleep(ms, signal)

export function job(name: string, cron: string, timezone = 'Europe/Berlin'): Job {
  const [kind, subject] = name.split(':') as [Job['kind'], string | undefined]
  return { name, kind, subject, cron: parseCron(cron, timezone, name) }
}

export const nightly = job('sync', '30 2 * * *')
export const report = job('report:mtta', '0 8 * * *')

/** A process with a schedule, which records its runs, its log and its last state. */
export function process(
  jobs: readonly Job[],
  options: {
    act?: (job: Job, signal: AbortSignal, free: () => void) => Promise<RunResult>
    records?: ReadonlyMap<string, JobRecord>
    catchUp?: boolean
    hasData?: () => boolean
    /** Interval of checks. By default ten minutes, which tests pass quickly. Null for the production default. */
    lookMs?: number | null
  } = {},
) {
  const stopping = new AbortController()
  const runs: { name: string; at: string; due: string; isFirst: boolean }[] = []
  const saved: { state: string; jobs: readonly JobState[] }[] = []
  const lines: string[] = []
  const log = (message: string, facts: object = {}) => void lines.push(`${message} ${JSON.stringify(facts)}`)
  /** Two readings of a clock always differ. */
  let readings = 0
  const now = () => Date.now() + readings++ / 1_000
  const lookMs = options.lookMs === null ? undefined : { lookMs: options.lookMs ?? 10 * MINUTE }
  const ended = runSchedule({
    jobs,
    store: fileStore(jobs, options.records ?? new Map(), { now, ...lookMs }),
    catchUp: options.catchUp ?? true,
    hasData: options.hasData ?? (() => true),
    effects: {
      ...realEffects({ debug: log, info: log, warn: log }),
      now,
    },
    signal: stopping.signal,
    run: (one, signal, { due, isFirst, free }) => {
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
      return (await ended).isTidy
    },
    /** The state that the next process reads from the health file, after an end or a crash. */
    remembered: () => {
      const last = saved.at(-1)!
      const facts = { pid: 1, startedAt: 0, now: Date.now() }
      return recordsOf(JSON.parse(JSON.stringify(healthOf(last.state as 'waiting', facts, last.jobs))))
    },
  }
}

export async function afterAGoodNight(start: string, jobs: readonly Job[] = [nightly]) {
  vi.setSystemTime(at(start))
  const one = process(jobs)
  await until(Date.now() + 10 * MINUTE)
  await one.stop()
  return one.remembered()
}
