import type { Health, JobHealth } from './health.ts'

const MINUTE = 60_000
/** Maximum age of the health file while the scheduler is running. The scheduler writes the file every minute. */
const SILENT_AFTER = 3 * MINUTE
/** A job that has not started this long after its due time is overdue. A job normally starts within seconds. */
const LATE_AFTER = 15 * MINUTE

interface Diagnosis {
  /** Messages that make the process unhealthy. */
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

/** Explains why no scheduler is running. Null while one is running. @param now Unix ms */
export function ended(health: Health | null, now: number): string | null {
  if (!health) return 'The schedule was never started. Run `faultline start`, and keep it running.'
  if (health.state === 'stopped') return `The schedule was stopped at ${health.updatedAt}.`
  // A time in the future means that the clock was set back, and that the scheduler has not written the file since then.
  if (Math.abs(now - Date.parse(health.updatedAt)) <= SILENT_AFTER) return null
  return `The health file was last written at ${health.updatedAt}. The scheduler has ended or is stuck.`
}

/** Returns the problems of the scheduler and its jobs, from the health file. @param now Unix ms */
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

function failure(name: string, { outcome, failures, error, finishedAt }: JobHealth): string | null {
  if (outcome === null || outcome === 'ok' || outcome === 'waiting') return null
  if (outcome === 'running') return failures > 0 ? `${name} failed and is being retried: ${error}` : null
  return `${name} ${words[outcome]} at ${finishedAt}${error ? `: ${error}` : '.'}`
}

const words = {
  partial: 'was partial',
  refused: 'delivery was rejected by the recipient',
  undelivered: 'was not delivered',
  failed: 'failed',
  stopped: 'was stopped',
  interrupted: 'was interrupted',
} as const
