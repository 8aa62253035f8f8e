import type { Effects } from '../effects.ts'
import { schedule } from './cron.ts'
import { type Due, type JobState, type Running, startable, stateOf } from './due.ts'
import type { Job } from './jobs.ts'
import { afterRun, type JobRecord, newRecord, notAhead } from './record.ts'

const LOOK_MS = 60_000
/** How long jobs have to end when the process is stopped. */
const ENDING_MS = 20_000

export interface RunResult {
  readonly outcome: 'ok' | 'partial' | 'undelivered' | 'failed'
  /** What is to be looked at; null when nothing is. */
  readonly error: string | null
}

/** What a run is told. */
export interface RunFor {
  /** The time of the schedule that it is for, Unix ms. */
  readonly due: number
  /** It was never done, and its time has not come. */
  readonly isFirst: boolean
  /** What is left of it may go on beside other jobs of its kind. */
  free?(): void
}

export interface ScheduleOptions {
  readonly jobs: readonly Job[]
  /** What is remembered of earlier runs, by the job's name. */
  readonly records: ReadonlyMap<string, JobRecord>
  /** Whether runs that were missed before the start are caught up. */
  readonly catchUp: boolean
  readonly effects: Pick<Effects, 'now' | 'sleep' | 'log'>
  readonly signal: AbortSignal
  /** Whether there is anything to report on. */
  hasData(): boolean
  /** Does a job's work. It ends soon when the signal is aborted; what it throws is a failure. */
  run(job: Job, signal: AbortSignal, what: RunFor): Promise<RunResult>
  /** How often to look for missed runs, milliseconds: a minute unless given. */
  readonly lookMs?: number
  /** Called after every change, and at every look. */
  save(state: 'waiting' | 'running' | 'stopped', jobs: readonly JobState[]): void
}

/**
 * Runs jobs when they are due until the signal is aborted, then waits for those under way. One sync runs at a time, and
 * one report; reports wait for the first data there is, and for the sync that was due before them, unless it takes hours.
 * A job that is due again while it runs is run once more when it ends.
 *
 * node-cron calls at the due times. A look each minute catches up, once, what it leaves out: a time that the clock skips,
 * a machine that was off or asleep, a clock that was set.
 * @returns whether everything under way ended in time
 */
export async function runSchedule(options: ScheduleOptions): Promise<boolean> {
  const { jobs, effects, signal, lookMs = LOOK_MS } = options
  const { log } = effects
  const startedAt = effects.now()
  let notBefore = options.catchUp ? 0 : startedAt
  let restartedAt = startedAt
  const records = new Map(jobs.map((job) => [job, options.records.get(job.name) ?? newRecord(startedAt)]))
  const running = new Map<Job, Running & { readonly ended: Promise<void> }>()

  const state = (job: Job) => stateOf(job, records.get(job)!, { notBefore, restartedAt })
  const states = () => jobs.map(state)
  const nextOf = (job: Job) => {
    const { nextRunAt } = state(job)
    return nextRunAt === null ? null : new Date(nextRunAt).toISOString()
  }

  function save(): void {
    const word = signal.aborted && running.size === 0 ? 'stopped' : running.size > 0 ? 'running' : 'waiting'
    options.save(word, states())
  }

  function start({ job, due }: Due): void {
    const before = records.get(job)!
    const startedAt = effects.now()
    if (before.outcome === 'undelivered' && due !== before.dueAt) {
      const was = before.dueAt === null ? null : new Date(before.dueAt).toISOString()
      log.warn('given up, since it is due again', { job: job.name, due: was, error: before.error })
    }
    const free = () => {
      const own = running.get(job)
      if (own) running.set(job, { ...own, isFree: true })
      look()
    }
    records.set(job, { ...before, dueAt: due, startedAt, finishedAt: null, outcome: null })
    log.info('job started', { job: job.name, due: new Date(due).toISOString() })
    const ended = options
      .run(job, signal, { due, isFirst: before.succeededAt === null && due === before.since, free })
      .catch((error: unknown): RunResult => ({ outcome: 'failed', error: messageOf(error) }))
      .then((result) => {
        const finishedAt = effects.now()
        const outcome = signal.aborted && result.outcome === 'failed' ? 'stopped' : result.outcome
        records.set(
          job,
          afterRun(before, { dueAt: due, startedAt, finishedAt, outcome, error: result.error }),
        )
        running.delete(job)
        const facts = { job: job.name, outcome, seconds: (finishedAt - startedAt) / 1_000 }
        if (outcome === 'ok') log.info('job ended', facts)
        else log.warn('job ended', { ...facts, error: result.error, next: nextOf(job) })
        look()
      })
    running.set(job, { job, due, ended, isFree: false })
  }

  function look(): void {
    const now = effects.now()
    // The clock may be set back.
    notBefore = Math.min(notBefore, now)
    restartedAt = Math.min(restartedAt, now)
    for (const [job, record] of records) records.set(job, notAhead(record, now))
    if (!signal.aborted) {
      const hasData = options.hasData()
      for (const due of startable(states(), [...running.values()], { now, hasData })) start(due)
    }
    save()
  }

  function ring(job: Job): Promise<void> | undefined {
    look()
    return running.get(job)?.ended
  }

  const schedules = jobs.map((job) => schedule(job.cron, job.name, () => ring(job), log))
  log.info('next runs', Object.fromEntries(jobs.map((job) => [job.name, nextOf(job)])))
  try {
    while (!signal.aborted) {
      look()
      await effects.sleep(lookMs, signal).catch(() => undefined)
    }
  } finally {
    for (const end of schedules) end()
  }
  log.info('stopping', { running: [...running.keys()].map((job) => job.name) })
  const waiting = new AbortController()
  const ended = Promise.all([...running.values()].map((run) => run.ended))
  await Promise.race([ended, effects.sleep(ENDING_MS, waiting.signal).catch(() => undefined)])
  waiting.abort()
  save()
  return running.size === 0
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
