import type { Effects } from '../effects.ts'
import { sentencesOf } from '../errors.ts'
import { afterRun, iso, type JobLease, type JobRecord, type Outcome, type RunResult } from './job-store.ts'
import type { Job } from './jobs.ts'

export interface RunFor {
  /** Due time (Unix ms). */
  readonly due: number
  /** Whether the job has never succeeded, and this run is before the first time in its schedule. */
  readonly isFirst: boolean
  /** Allows another job of the same kind to start while this job finishes. */
  free(): void
}

interface Run {
  readonly job: Job
  readonly lease: JobLease
  readonly due: number
  readonly free: () => void
  readonly nextOf: (record: JobRecord) => number | null
}

interface Surroundings {
  readonly effects: Pick<Effects, 'now' | 'log'>
  readonly signal: AbortSignal
  run(job: Job, signal: AbortSignal, what: RunFor): Promise<RunResult>
}

export async function runJob(
  { effects, signal, run }: Surroundings,
  { job, lease, due: dueAt, free, nextOf }: Run,
): Promise<Outcome> {
  const { log, now } = effects
  const { record: before, now: startedAt } = lease
  const began = now()
  // The first run may have waited for other jobs. If another due time passed meanwhile, the run is for that due time.
  const last = job.cron.last(startedAt)
  const due = before.succeededAt === null && last !== null && last > dueAt ? last : dueAt
  if (before.outcome === 'undelivered' && due !== before.dueAt)
    log.warn('given up, since it is due again', {
      job: job.name,
      due: iso(before.dueAt),
      error: before.error,
    })
  log.info('job started', { job: job.name, due: iso(due) })
  const isFirst = before.succeededAt === null && job.cron.last(due) !== due
  const { error, ...result } = await run(job, AbortSignal.any([signal, lease.lost]), {
    ...{ due, isFirst, free },
  }).catch((error: unknown): RunResult => ({ outcome: 'failed', error: sentencesOf(error) }))
  const outcome = signal.aborted && result.outcome === 'failed' ? 'stopped' : result.outcome
  const finishedAt = startedAt + (now() - began)
  const record = afterRun(before, { dueAt: due, startedAt, finishedAt, outcome, error })
  await lease
    .end(record)
    .catch((cause) =>
      log.warn('the end of a job could not be recorded', { job: job.name, error: sentencesOf(cause) }),
    )
  await lease.release().catch(() => undefined)
  const facts = { job: job.name, outcome, seconds: (finishedAt - startedAt) / 1_000 }
  if (outcome === 'ok') log.info('job ended', facts)
  else if (outcome === 'waiting') log.info('job ended', { ...facts, waits: error })
  else log.warn('job ended', { ...facts, error, next: iso(nextOf(record)) })
  return outcome
}
