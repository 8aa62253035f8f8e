import { hostname } from 'node:os'
import type { Lake } from '../../config/lake.ts'
import { literal } from '../quote.ts'
import { askPostgres, lakeError, locksOf, tellPostgres } from './catalogue.ts'
import { type Lock, makeTable, tryLock } from './lease.ts'

/** What all workers remember of a job: its last run. Times are Unix ms by PostgreSQL's clock. */
export interface StoredJob {
  /** When that run was due. */
  readonly dueAt: number
  readonly startedAt: number
  /** Null while it runs, and when the worker died. */
  readonly finishedAt: number | null
  readonly outcome: string | null
  /** Runs in a row that did not do their work. */
  readonly failures: number
  /** Which process of which machine ran it. */
  readonly holder: string
}

/** A job that this worker alone may run now. */
export interface Claim extends Lock {
  /** As it was when it was claimed; undefined when it was never run. */
  readonly before: StoredJob | undefined
  begin(dueAt: number): Promise<void>
  /** Notes how it ended. */
  end(outcome: string, failures: number): Promise<void>
}

/** This process, as others see it. */
export const WORKER = `${hostname()} ${process.pid}`

const JOBS = 'faultline_jobs'

/** What is remembered of each job, and what time it is. */
export async function readJobs(lake: Lake): Promise<{ now: number; jobs: Map<string, StoredJob> }> {
  try {
    await makeJobs(lake)
    const ms = (time: string) => `(extract(epoch from ${time}) * 1000)::bigint`
    const rows = await askPostgres(
      await locksOf(lake),
      `select ${ms('now()')} as now, name, ${ms('due_at')} as due, ${ms('started_at')} as started, ${ms('finished_at')} as finished,
        outcome, failures::bigint as failures, holder from (select 1) one left join ${JOBS} on true`,
    )
    const jobs = rows.flatMap(([, name, dueAt, startedAt, finishedAt, outcome, failures, holder]) =>
      name === null
        ? []
        : ([
            [
              String(name),
              {
                dueAt: Number(dueAt),
                startedAt: Number(startedAt),
                finishedAt: finishedAt === null ? null : Number(finishedAt),
                outcome: outcome as string | null,
                failures: Number(failures),
                holder: String(holder),
              },
            ],
          ] as [string, StoredJob][]),
    )
    return { now: Number(rows[0]?.[0]), jobs: new Map(jobs) }
  } catch (cause) {
    throw lakeError(lake, cause)
  }
}

/** Claims a job; undefined while another worker has it. Whoever dies gives it back. */
export async function claimJob(lake: Lake, job: string): Promise<Claim | undefined> {
  const lock = await tryLock(lake, `job ${job}`)
  if (lock === undefined) return undefined
  try {
    const { jobs } = await readJobs(lake)
    const writer = await locksOf(lake)
    return {
      ...lock,
      before: jobs.get(job),
      begin: (dueAt) =>
        tellPostgres(
          writer,
          `insert into ${JOBS} (name, holder, due_at, started_at, failures)
            values (${literal(job)}, ${literal(WORKER)}, to_timestamp(${dueAt / 1_000}), now(), 0)
            on conflict (name) do update set
              holder = excluded.holder, due_at = excluded.due_at, started_at = now(), finished_at = null, outcome = null`,
        ),
      end: (outcome, failures) =>
        tellPostgres(
          writer,
          `update ${JOBS} set finished_at = now(), outcome = ${literal(outcome)}, failures = ${failures}
            where name = ${literal(job)} and holder = ${literal(WORKER)}`,
        ),
    }
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function makeJobs(lake: Lake): Promise<void> {
  await makeTable(
    lake,
    JOBS,
    `(name text primary key, holder text not null, due_at timestamptz not null, started_at timestamptz not null,
      finished_at timestamptz, outcome text, failures int not null)`,
  )
}
