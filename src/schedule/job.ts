import type { Cron } from './cron.ts'

/** Something that is done at certain times. */
export interface Job {
  /** Unique and steady over restarts: `sync`, `sync:emea`, `report:mtta-mttr`. */
  readonly name: string
  readonly kind: 'sync' | 'report'
  /** What the command is given: the account of a sync, if there are several, or the report. */
  readonly subject: string | undefined
  readonly cron: Cron
  readonly timezone: string
}

/**
 * How a run ended. `partial`: it did its work, and something is to be looked at. `stopped`: somebody ended the process,
 * and it tidied up. `interrupted`: the process died.
 */
export type Outcome = 'ok' | 'partial' | 'failed' | 'stopped' | 'interrupted'

/** What is remembered of a job over restarts. All times are Unix ms. */
export interface JobRecord {
  /** When the job was first planned: what lies before was never due. */
  readonly since: number
  /** The last run, whatever became of it; null before the first. */
  readonly startedAt: number | null
  readonly finishedAt: number | null
  /** Null while it runs, and before the first run. */
  readonly outcome: Outcome | null
  /** When the last run that did its work ended. */
  readonly succeededAt: number | null
  /** What the last run said when it did not end well. */
  readonly error: string | null
  /** Runs in a row, the last one included, that did not do their work. */
  readonly failures: number
}

/** A job that was never run. */
export function newRecord(since: number): JobRecord {
  return {
    since,
    startedAt: null,
    finishedAt: null,
    outcome: null,
    succeededAt: null,
    error: null,
    failures: 0,
  }
}

/** Whether a run did what it was for. */
export function isDone(outcome: Outcome | null): boolean {
  return outcome === 'ok' || outcome === 'partial'
}
