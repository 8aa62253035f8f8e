import { isDone, type Job, type JobRecord } from './job.ts'
import { nextRun } from './next-run.ts'

const MINUTE = 60_000
/** Waits before a run that failed is tried again; then its next regular time is waited for. */
const RETRIES = [10 * MINUTE, 30 * MINUTE]

/**
 * When a job is to run next, Unix ms; null for never. A moment that has passed means at once: a run that was missed, by
 * one night or by thirty, is made up for once. Nothing but the last run and the expression decides, so a restart
 * changes nothing.
 *
 * - A sync that was never made is due at once; a report waits for its time.
 * - A run that failed is tried again after 10 and after 30 minutes; one whose process died or was stopped at once.
 * - A clock that was set back makes nothing wait for the old time.
 * @param notBefore what was due up to this moment is let go
 */
export function dueAt(job: Job, record: JobRecord, now: number, notBefore = 0): number | null {
  const letGo = Math.min(notBefore, now)
  if (record.startedAt === null) {
    const since = Math.min(record.since, now)
    if (job.kind === 'sync' && record.since > notBefore) return since
    return nextRun(job.cron, job.timezone, Math.max(since, letGo))
  }
  const last = Math.min(record.startedAt, now)
  const regular = nextRun(job.cron, job.timezone, Math.max(last, letGo))
  const retry = last < letGo ? null : retryAt(record, now)
  if (retry === null || regular === null) return retry ?? regular
  return Math.min(retry, regular)
}

function retryAt({ outcome, finishedAt, startedAt, failures }: JobRecord, now: number): number | null {
  if (outcome === null || isDone(outcome)) return null
  const ended = Math.min(finishedAt ?? startedAt!, now)
  if (outcome === 'stopped') return ended
  const wait = RETRIES[failures - 1]
  if (wait === undefined) return null
  return outcome === 'interrupted' ? ended : ended + wait
}
