import type { Effects } from '../effects.ts'
import { dueAt } from './due-at.ts'
import type { JobState } from './health.ts'
import { isDone, type Job, type JobRecord, newRecord, type Outcome } from './job.ts'
import { type Due, startable } from './startable.ts'

const LOOK_MS = 60_000
/** How long jobs have to end when the process is told to stop. */
const ENDING_MS = 20_000

/** What became of a run. */
export interface RunResult {
  readonly outcome: 'ok' | 'partial' | 'failed'
  /** What is to be looked at; null when nothing is. */
  readonly error: string | null
}

export interface ScheduleOptions {
  readonly jobs: readonly Job[]
  /** What is remembered of earlier runs. */
  readonly records: ReadonlyMap<string, JobRecord>
  /** What was due before this moment (Unix ms) is let go; 0 makes up for it. */
  readonly notBefore: number
  readonly effects: Pick<Effects, 'now' | 'sleep' | 'log'>
  readonly signal: AbortSignal
  /** Does a job's work. It ends soon when the signal is aborted; what it throws is a failure. */
  run(job: Job, signal: AbortSignal): Promise<RunResult>
  /** The clock is looked at so often, milliseconds: a machine that slept, or whose clock was set, is noticed. A minute. */
  readonly lookMs?: number
  /** Called after every change, and at every look. */
  save(state: 'waiting' | 'running' | 'stopped', jobs: readonly JobState[]): void
}

/**
 * Runs jobs when they are due until the signal is aborted, then waits for those under way. One sync runs at a time, and
 * one report; reports wait for the sync that was due before them, unless it takes hours. A job that is due again while it
 * runs is run once more when it ends.
 * @returns whether everything under way ended in time
 */
export async function runSchedule(options: ScheduleOptions): Promise<boolean> {
  const { jobs, effects, signal, notBefore, lookMs = LOOK_MS } = options
  const { log } = effects
  const records = new Map(jobs.map((job) => [job, options.records.get(job.name) ?? newRecord(effects.now())]))
  const running = new Map<Job, Due & { readonly ended: Promise<void>; isOverlapSaid: boolean }>()
  let wake = new AbortController()
  signal.addEventListener('abort', () => wake.abort(), { once: true })
  const nextOf = rememberingDue(records, notBefore)

  const states = (now: number) =>
    jobs.map((job) => ({ job, record: records.get(job)!, nextRunAt: nextOf(job, now) }))
  const save = () => {
    const state = signal.aborted && running.size === 0 ? 'stopped' : running.size > 0 ? 'running' : 'waiting'
    options.save(state, states(effects.now()))
  }

  function start(job: Job, due: number): void {
    const before = records.get(job)!
    const startedAt = effects.now()
    records.set(job, { ...before, startedAt, finishedAt: null, outcome: null })
    log.info('job started', { job: job.name, due: new Date(due).toISOString() })
    const ended = options
      .run(job, signal)
      .catch((error: unknown): RunResult => ({ outcome: 'failed', error: messageOf(error) }))
      .then((result) => {
        const finishedAt = effects.now()
        const outcome = signal.aborted && result.outcome === 'failed' ? 'stopped' : result.outcome
        records.set(job, recordOf(before, { startedAt, finishedAt, outcome, error: result.error }))
        running.delete(job)
        const facts = { job: job.name, outcome, seconds: (finishedAt - startedAt) / 1_000 }
        if (outcome === 'ok') log.info('job ended', facts)
        else log.warn('job ended', { ...facts, error: result.error })
        wake.abort()
      })
    running.set(job, { job, due, ended, isOverlapSaid: false })
  }

  while (!signal.aborted) {
    wake = new AbortController()
    const now = effects.now()
    for (const { job, due } of startable(states(now), [...running.values()], now)) start(job, due)
    for (const [job, run] of running) {
      if (run.isOverlapSaid || (nextOf(job, now) ?? now + 1) > now) continue
      run.isOverlapSaid = true
      log.warn('job is due again while it runs; it is run once more when it ends', { job: job.name })
    }
    save()
    await effects.sleep(waitOf(states(now), now, lookMs), wake.signal).catch(() => undefined)
  }
  log.info('stopping', { running: [...running.keys()].map((job) => job.name) })
  const patience = new AbortController()
  const ended = Promise.all([...running.values()].map((run) => run.ended))
  await Promise.race([ended, effects.sleep(ENDING_MS, patience.signal).catch(() => undefined)])
  patience.abort()
  save()
  return running.size === 0
}

/** Until the next job is due, or the next look at the clock. What is due already waits for another job to end. */
function waitOf(jobs: readonly JobState[], now: number, lookMs: number): number {
  const ahead = jobs.flatMap(({ nextRunAt }) =>
    nextRunAt !== null && nextRunAt > now ? [nextRunAt - now] : [],
  )
  return Math.min(lookMs, ...ahead)
}

function recordOf(
  before: JobRecord,
  run: { startedAt: number; finishedAt: number; outcome: Outcome; error: string | null },
): JobRecord {
  const done = isDone(run.outcome)
  return {
    since: before.since,
    ...run,
    succeededAt: done ? run.finishedAt : before.succeededAt,
    failures: done ? 0 : before.failures + (run.outcome === 'stopped' ? 0 : 1),
  }
}

/** `dueAt`, worked out once for each record: a walk over the calendar is not free. A clock set back asks anew. */
function rememberingDue(records: ReadonlyMap<Job, JobRecord>, notBefore: number) {
  const known = new Map<
    Job,
    { readonly record: JobRecord; readonly at: number; readonly due: number | null }
  >()
  return (job: Job, now: number): number | null => {
    const record = records.get(job)!
    const last = known.get(job)
    if (last?.record === record && now >= last.at) return last.due
    const due = dueAt(job, record, now, notBefore)
    known.set(job, { record, at: now, due })
    return due
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
