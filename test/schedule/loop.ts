import { afterAll, beforeAll, beforeEach, expect, inject } from 'vitest'
import { sharedStore } from '../../src/cli/start/shared-store.ts'
import { executeOnCatalog, leasesOf } from '../../src/lake/catalog.ts'
import type { JobState } from '../../src/schedule/due.ts'
import { fileStore } from '../../src/schedule/file-store.ts'
import { type Health, healthOf, recordsOf } from '../../src/schedule/health.ts'
import type { JobStore, RunResult } from '../../src/schedule/job-store.ts'
import type { Job } from '../../src/schedule/jobs.ts'
import { runSchedule, type ScheduleOptions } from '../../src/schedule/run-schedule.ts'
import { type VirtualTime, virtualTime } from '../support/clock.ts'
import { hasLake, startPostgres } from '../support/lake.ts'
import { publishedAt } from '../support/storage.ts'
import { at, HOUR, MINUTE, ok } from './daemon.ts'

/** A store of the records of jobs. The same cases run with both stores. */
interface Records {
  /** The store of a process that begins now, after another one has ended. */
  store(jobs: readonly Job[], time: VirtualTime, before: Daemon | undefined): JobStore
  moved(now: number): Promise<void>
  clear(): Promise<void>
  stop(): Promise<void>
}

export const allRecords: Readonly<Record<string, () => Promise<Records>>> = {
  'the health file': async () => ({
    store(jobs, { now }, before) {
      const health = before && (JSON.parse(JSON.stringify(before.health())) as Health)
      return fileStore(jobs, health ? recordsOf(health) : new Map(), { now })
    },
    moved: async () => {},
    clear: async () => {},
    stop: async () => {},
  }),
  ...(hasLake && !inject('isFast') ? { PostgreSQL: recordsInPostgres } : {}),
}

/**
 * A PostgreSQL whose `now()` returns the time of the test. The function is in a schema that precedes `pg_catalog` in
 * the search path.
 */
async function recordsInPostgres(): Promise<Records> {
  const postgres = await startPostgres()
  const lake = postgres.lake('jobs')
  postgres.ask(
    'jobs',
    `create schema clock; create table clock.stands (at timestamptz not null); insert into clock.stands values (now());
      create function clock.now() returns timestamptz language sql as 'select at from clock.stands';
      grant all on schema clock to public; grant all on all tables in schema clock to public;
      alter database jobs set search_path = clock, pg_catalog, public`,
  )
  return {
    store: (jobs) => sharedStore(publishedAt(lake).jobs!, jobs),
    moved: async (now) =>
      executeOnCatalog(await leasesOf(lake), `update clock.stands set at = to_timestamp(${now / 1_000})`),
    clear: async () => {
      await publishedAt(lake).jobs!.read()
      await executeOnCatalog(await leasesOf(lake), 'truncate faultline_jobs')
    },
    stop: () => postgres.stop(),
  }
}

/** The options of one process. All other options are those of production. */
interface Own extends Partial<Pick<ScheduleOptions, 'syncs' | 'catchUp' | 'isOnce' | 'hasData'>> {
  act?(job: Job, signal: AbortSignal, free: () => void): Promise<RunResult>
  /** The longest interval between two checks of node-cron, by default six hours. */
  readonly lookMs?: number
  readonly before?: Daemon
}

/** A process with a schedule, which records its runs, its log and its health file. */
interface Daemon {
  readonly runs: readonly { name: string; at: string; due: string; isFirst: boolean }[]
  readonly lines: readonly string[]
  of(name: string): string[]
  order(): string[]
  health(): Health
  stop(): Promise<void>
}

interface Stage {
  readonly records: Records
  readonly time: VirtualTime
  /** Processes that are choosing a job. */
  readonly awake: Set<object>
  /** The number of runs that have ended but are not yet recorded. */
  readonly ending: { runs: number }
}

/** Processes that share records, and a clock that only moves when a test moves it. */
export async function play(records: Records, start: string) {
  const awake = new Set<object>()
  const ending = { runs: 0 }
  const settled = async () => {
    do await new Promise((resolve) => setImmediate(resolve))
    while (awake.size > 0 || ending.runs > 0)
  }
  const time = virtualTime(at(start), { settled, moved: records.moved })
  await records.moved(at(start))
  const stage = { records, time, awake, ending }
  return {
    begin: (jobs: readonly Job[], own: Own = {}) => begin(stage, jobs, own),
    until: (text: string) => time.until(at(text)),
    sleep: time.sleep,
    store: (jobs: readonly Job[]) => records.store(jobs, time, undefined),
    moveTo: (text: string) => records.moved(at(text)),
    /** A process that has done all jobs once and has ended. The next process continues from it. */
    async wellBefore(jobs: readonly Job[]): Promise<Daemon> {
      const one = begin(stage, jobs, {})
      await time.until(time.now() + 10 * MINUTE)
      await one.stop()
      return one
    },
  }
}

function begin({ records, time, awake, ending }: Stage, jobs: readonly Job[], own: Own): Daemon {
  const stopping = new AbortController()
  const runs: { name: string; at: string; due: string; isFirst: boolean }[] = []
  const lines: string[] = []
  let last: { state: Health['state']; states: readonly JobState[] } | undefined
  const log = (message: string, facts: object = {}) => {
    if (message === 'job ended') ending.runs--
    lines.push(`${message} ${JSON.stringify(facts)}`)
  }
  const self = {}
  awake.add(self)
  const store = records.store(jobs, time, own.before)
  const ended = runSchedule({
    ...{ jobs, catchUp: own.catchUp ?? true, signal: stopping.signal },
    ...{ syncs: own.syncs, isOnce: own.isOnce ?? false, hasData: own.hasData ?? (() => true) },
    store: {
      ...store,
      get lookMs() {
        const due = last!.states.flatMap(({ nextRunAt }) =>
          nextRunAt === null ? [] : nextRunAt - time.now(),
        )
        return Math.min(own.lookMs ?? 6 * HOUR, ...due.filter((ms) => ms > 0))
      },
    },
    effects: {
      now: time.now,
      log: { debug: log, info: log, warn: log },
      async sleep(ms, signal) {
        awake.delete(self)
        await time.sleep(ms, signal).finally(() => awake.add(self))
      },
    },
    run(job, signal, { due, isFirst, free }) {
      runs.push({ name: job.name, isFirst, at: minuteOf(time.now()), due: minuteOf(due) })
      return (own.act?.(job, signal, free) ?? Promise.resolve(ok)).finally(() => ending.runs++)
    },
    save: (state, states) => {
      last = { state, states }
    },
  }).finally(() => awake.delete(self))
  return {
    ...{ runs, lines },
    of: (name) => runs.filter((run) => run.name === name).map((run) => run.at),
    order: () => runs.map((run) => `${run.name} ${run.at.slice(11)}`),
    health: () => healthOf(last!.state, { pid: 1, startedAt: 0, now: time.now() }, last!.states),
    async stop() {
      stopping.abort(new Error('stopped by SIGTERM'))
      expect((await ended).isTidy).toBe(true)
    },
  }
}

const minuteOf = (ms: number) => new Date(ms).toISOString().slice(0, 16)

/** The records, which are created once and emptied for each test. */
export function sharedRecords(beginRecords: (typeof allRecords)[string]) {
  let records: Awaited<ReturnType<typeof beginRecords>>
  beforeAll(async () => {
    records = await beginRecords()
  })
  beforeEach(() => records.clear())
  afterAll(() => records?.stop())
  return (start: string) => play(records, start)
}
