import type { JobRecord } from './job.ts'

/** The newest run in the warehouse's `sync_runs`, whoever started it; Unix ms. */
export interface LastRun {
  readonly startedAt: number
  /** Null when it was broken off. */
  readonly finishedAt: number | null
  readonly status: 'ok' | 'partial' | 'failed' | 'interrupted'
}

/**
 * What a sync's last run was, of what the health file remembers and what the warehouse holds. The warehouse knows runs
 * that were started by hand; the file knows those that failed before they could write anything.
 * @param held null when the warehouse holds no run
 */
export function remembered(record: JobRecord | undefined, held: LastRun | null): JobRecord | undefined {
  if (held === null) {
    // The warehouse is gone or new: what the file tells of a run that was good is of another one.
    return record && record.failures > 0 ? record : undefined
  }
  const known = record?.finishedAt ?? record?.startedAt ?? null
  if (record && known !== null && held.startedAt <= known) return record
  const isDone = held.status === 'ok' || held.status === 'partial'
  return {
    since: record?.since ?? held.startedAt,
    startedAt: held.startedAt,
    finishedAt: held.finishedAt,
    outcome: held.status,
    succeededAt: isDone ? held.finishedAt : (record?.succeededAt ?? null),
    error: isDone ? null : 'see `faultline status`',
    failures: isDone ? 0 : 1,
  }
}
