import type { Lake } from '../../config/lake.ts'
import { literal } from '../quote.ts'
import { askPostgres, lakeError, locksOf, tellPostgres } from './catalogue.ts'
import { PROCESS } from './lease.ts'
import { type Lock, tryLock } from './lock.ts'
import { makeOwnTables } from './own-tables.ts'

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
  /** When it was claimed. */
  readonly now: number
  /** As it was when it was claimed; undefined when it was never run. */
  readonly before: StoredJob | undefined
  begin(dueAt: number): Promise<void>
  /** Notes how it ended. */
  end(outcome: string, failures: number): Promise<void>
}

const JOBS = 'faultline_jobs'

/** What all workers know. */
export interface KnownJobs {
  /** What time it is, by PostgreSQL's clock. */
  readonly now: number
  readonly jobs: ReadonlyMap<string, StoredJob>
  /** The accounts of keys that were used before, by the digest of the key. */
  readonly accounts: ReadonlyMap<string, bigint>
}

/** The jobs of a lake, which all of its machines share. */
export interface SharedJobs {
  /** What is remembered of each job, and what time it is. */
  read(): Promise<KnownJobs>
  /**
   * Claims a job; undefined while another worker has it. Whoever dies gives it back.
   * @param stored finds it among all, where it was known by another name once
   */
  claim(job: string, stored: (known: KnownJobs) => StoredJob | undefined): Promise<Claim | undefined>
  /** Remembers which account a key is of. */
  recordKey(digest: string, accountId: bigint): Promise<void>
}

export function sharedJobs(lake: Lake): SharedJobs {
  return {
    read: () => readJobs(lake),
    claim: (job, stored) => claimJob(lake, job, stored),
    recordKey: (digest, accountId) => recordKey(lake, digest, accountId),
  }
}

/** What is remembered of each job, and what time it is. */
export async function readJobs(lake: Lake): Promise<KnownJobs> {
  try {
    await makeOwnTables(lake)
    const postgres = await locksOf(lake)
    const ms = (time: string) => `(extract(epoch from ${time}) * 1000)::bigint`
    const rows = await askPostgres(
      postgres,
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
    const accounts = await askPostgres(postgres, `select digest, account_id from ${KEYS}`)
    return {
      now: Number(rows[0]?.[0]),
      jobs: new Map(jobs),
      accounts: new Map(accounts as [string, bigint][]),
    }
  } catch (cause) {
    throw lakeError(lake, cause)
  }
}

const KEYS = 'faultline_keys'

/** Remembers which account a key is of. */
export async function recordKey(lake: Lake, digest: string, accountId: bigint): Promise<void> {
  await tellPostgres(
    await locksOf(lake),
    `insert into ${KEYS} (digest, account_id) values (${literal(digest)}, ${accountId})
      on conflict (digest) do update set account_id = excluded.account_id`,
  )
}

/**
 * Claims a job; undefined while another worker has it. Whoever dies gives it back.
 * @param stored finds it among all, where it was known by another name once
 */
export async function claimJob(
  lake: Lake,
  job: string,
  stored: (known: KnownJobs) => StoredJob | undefined = ({ jobs }) => jobs.get(job),
): Promise<Claim | undefined> {
  const lock = await tryLock(lake, `job ${job}`)
  if (lock === undefined) return undefined
  try {
    const known = await readJobs(lake)
    const writer = await locksOf(lake)
    return {
      ...lock,
      now: known.now,
      before: stored(known),
      begin: (dueAt) =>
        tellPostgres(
          writer,
          `insert into ${JOBS} (name, holder, due_at, started_at, failures)
            values (${literal(job)}, ${literal(PROCESS)}, to_timestamp(${dueAt / 1_000}), now(), 0)
            on conflict (name) do update set
              holder = excluded.holder, due_at = excluded.due_at, started_at = now(), finished_at = null, outcome = null`,
        ),
      end: (outcome, failures) =>
        tellPostgres(
          writer,
          `update ${JOBS} set finished_at = now(), outcome = ${literal(outcome)}, failures = ${failures}
            where name = ${literal(job)} and holder = ${literal(PROCESS)}`,
        ),
    }
  } catch (error) {
    await lock.release()
    throw error
  }
}
