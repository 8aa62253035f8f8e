import { isDone, type JobRecord, type JobStore, newRecord, type Outcome } from '../../schedule/job-store.ts'
import { isOfAccount, type Job } from '../../schedule/jobs.ts'
import type { SharedJobs, SharedLease, StoredJob, StoredJobs } from '../../warehouse/published.ts'

/** Interval between reads, short because no machine notifies the others when it finishes a job or dies. */
const LOOK_MS = 5_000

/** Returns a store for the jobs that the machines of a lake share. All times come from the PostgreSQL clock. */
export function sharedStore(shared: SharedJobs, jobs: readonly Job[]): JobStore {
  let since: number | undefined
  let accounts: StoredJobs['accounts'] = new Map()
  const recordOf = (stored: StoredJob | undefined, now: number) => {
    since = Math.min(since ?? now, now)
    return stored === undefined ? newRecord(since) : recordIn(stored, since)
  }
  return {
    name: 'the lake',
    lookMs: LOOK_MS,
    async read() {
      const known = await shared.read()
      const { now } = known
      accounts = known.accounts
      const stored = jobs.map((job) => [job.name, storedOf(job, known)] as const)
      return {
        now,
        records: new Map(stored.map(([name, one]) => [name, recordOf(one, now)])),
        holders: new Map(stored.flatMap(([name, one]) => (one ? [[name, one.holder]] : []))),
      }
    },
    async lease(job) {
      const name = sharedName(job, { accounts })
      const lease = await shared.lease(name, (known) => storedOf(job, known))
      if (lease === undefined) return undefined
      const record = recordOf(lease.before, lease.now)
      const died = record.startedAt !== null && record.outcome === null
      return {
        ...lease,
        record: died
          ? { ...record, outcome: 'interrupted', failures: record.failures + 1, tries: record.tries + 1 }
          : record,
        end: (ended) => end(lease, ended),
      }
    },
  }
}

async function end(lease: SharedLease, { outcome, failures, tries }: JobRecord): Promise<void> {
  if (lease.lost.aborted) return
  // If the lease has expired, another machine might run the job, and this failure must not change its record.
  if (!isDone(outcome)) await lease.confirm()
  await lease.end(outcome!, { failures, tries })
}

function recordIn(
  { dueAt, startedAt, finishedAt, failures, tries, ...stored }: StoredJob,
  since: number,
): JobRecord {
  const outcome = stored.outcome as Outcome | null
  const succeededAt = isDone(outcome) ? finishedAt : null
  return { since, dueAt, startedAt, finishedAt, outcome, succeededAt, error: null, failures, tries }
}

/** Returns the shared name of a job. Before the first sync, the name contains the key's digest, not the account id. */
export function sharedName(job: Job, known: Pick<StoredJobs, 'accounts'>): string {
  return namesOf(job, known)[0]!
}

/** Returns the stored record of a job, under its current name or an earlier one. */
export function storedOf(job: Job, known: Pick<StoredJobs, 'accounts' | 'jobs'>): StoredJob | undefined {
  return namesOf(job, known)
    .map((name) => known.jobs.get(name))
    .find((stored) => stored !== undefined)
}

function namesOf(job: Job, { accounts }: Pick<StoredJobs, 'accounts'>): string[] {
  if (!isOfAccount(job)) return [job.name]
  const { host, keyDigest, subject } = job
  const accountId = job.accountId ?? accounts.get(keyDigest)
  return [
    ...(accountId === undefined ? [] : [`sync:${host}/${accountId}`]),
    `sync:${host}/key ${keyDigest}`,
    // Older versions used this name. Accounts without a configured name all shared it, so their jobs ignore this name.
    ...(subject === undefined ? [] : [job.name]),
  ]
}
