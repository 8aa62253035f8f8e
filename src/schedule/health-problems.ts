import type { Health, JobHealth } from './health.ts'

const MINUTE = 60_000
/**
 * Maximum age of the health file of a running process. The file is written every minute, and this allows for a delay
 * under load.
 */
const SILENT_AFTER = 3 * MINUTE
/**
 * Delay after which a job is overdue. This is generous, because a sync normally starts within seconds of its due time.
 */
const LATE_AFTER = 15 * MINUTE

/** `problems` make the process unhealthy. `warnings` do not. */
interface Diagnosis {
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

/** Explains why no scheduler is running. A restart fixes that. Null while a scheduler is running. `now` is Unix ms. */
export function ended(health: Health | null, now: number): string | null {
  if (!health) return 'The schedule was never started. Run `faultline start`, and keep it running.'
  if (health.state === 'stopped') return `The schedule was stopped at ${health.updatedAt}.`
  // A time in the future is wrong too. It means that the clock was set back and the file has not been written since.
  if (Math.abs(now - Date.parse(health.updatedAt)) <= SILENT_AFTER) return null
  return `The health file was last written at ${health.updatedAt}. The scheduler has ended or is stuck.`
}

/** Returns problems of the scheduler and its syncs, from the health file. `now` is Unix ms. */
export function diagnose(health: Health | null, now: number): Diagnosis {
  if (!health) return { problems: [ended(health, now)!], warnings: [] }
  const jobs = Object.entries(health.jobs)
  const end = ended(health, now)
  const problems = end === null ? [] : [end]
  const warnings: string[] = []
  for (const [name, job] of jobs) {
    const isSync = name === 'sync' || name.startsWith('sync:')
    const late = lateness(name, job, now)
    if (late) (isSync ? problems : warnings).push(late)
    const bad = failure(name, job)
    if (bad) (isSync && job.outcome !== 'partial' ? problems : warnings).push(bad)
  }
  return { problems, warnings }
}

function lateness(name: string, job: JobHealth, now: number): string | null {
  if (job.nextRunAt === null || now - Date.parse(job.nextRunAt) <= LATE_AFTER) return null
  return job.outcome === 'running'
    ? `${name} has been running since ${job.startedAt} and was due again at ${job.nextRunAt}.`
    : `${name} has been overdue since ${job.nextRunAt}.`
}

function failure(name: string, job: JobHealth): string | null {
  if (
    job.outcome === null ||
    job.outcome === 'running' ||
    job.outcome === 'ok' ||
    job.outcome === 'waiting'
  ) {
    // A job that is being retried is unhealthy until it succeeds.
    return job.outcome === 'running' && job.failures > 0
      ? `${name} failed and is being retried: ${job.error}`
      : null
  }
  return `${name} ${words[job.outcome]} at ${job.finishedAt}${job.error ? `: ${job.error}` : '.'}`
}

const words = {
  partial: 'was partial',
  refused: 'delivery was rejected by the recipient',
  undelivered: 'was not delivered',
  failed: 'failed',
  stopped: 'was stopped',
  interrupted: 'was interrupted',
} as const
