import { quoteLiteral } from '../definitions/quote.ts'
import type { Lake } from '../settings/lake.ts'
import type { SharedJobs, SharedLease, StoredJob, StoredJobs } from '../warehouse/published.ts'
import { executeOnCatalog, leasesOf, queryCatalog } from './catalog.ts'
import { inCatalog } from './catalog-tables.ts'
import { PROCESS, takeLease } from './leases.ts'

const JOBS = 'faultline_jobs'
const KEYS = 'faultline_keys'
/** 1 if the process that ran the job died before it recorded the end. */
const died = `(${JOBS}.started_at is not null and ${JOBS}.outcome is null)::int`

export function jobsOf(lake: Lake): SharedJobs {
  return {
    read: () => readJobs(lake),
    lease: (job, stored) => leaseJob(lake, job, stored),
    recordKey: (digest, accountId) =>
      inCatalog(lake, (postgres) =>
        executeOnCatalog(
          postgres,
          `insert into ${KEYS} (digest, account_id) values (${quoteLiteral(digest)}, ${accountId})
            on conflict (digest) do update set account_id = excluded.account_id`,
        ),
      ),
  }
}

async function readJobs(lake: Lake): Promise<StoredJobs> {
  return inCatalog(lake, async (postgres) => {
    const ms = (time: string) => `(extract(epoch from ${time}) * 1000)::bigint`
    const rows = await queryCatalog(
      postgres,
      `select ${ms('now()')}, name, json_build_object('dueAt', ${ms('due_at')}, 'startedAt', ${ms('started_at')},
          'finishedAt', ${ms('finished_at')}, 'outcome', outcome, 'failures', failures, 'tries', tries, 'holder', holder)::text
        from (select 1) one left join ${JOBS} on true`,
    )
    const jobs = rows
      .filter(([, name]) => name !== null)
      .map(([, name, job]) => [String(name), JSON.parse(String(job)) as StoredJob] as const)
    const accounts = await queryCatalog(postgres, `select digest, account_id from ${KEYS}`)
    const now = Number(rows[0]?.[0])
    return { now, jobs: new Map(jobs), accounts: new Map(accounts as [string, bigint][]) }
  })
}

async function leaseJob(
  lake: Lake,
  job: string,
  stored: (known: StoredJobs) => StoredJob | undefined,
): Promise<SharedLease | undefined> {
  const lease = await takeLease(lake, `job ${job}`)
  if (lease === undefined) return undefined
  try {
    const known = await readJobs(lake)
    const writer = await leasesOf(lake)
    return {
      ...lease,
      now: known.now,
      before: stored(known),
      begin: (dueAt) =>
        executeOnCatalog(
          writer,
          `insert into ${JOBS} (name, holder, due_at, started_at, failures)
            values (${quoteLiteral(job)}, ${quoteLiteral(PROCESS)}, to_timestamp(${dueAt / 1_000}), now(), 0)
            on conflict (name) do update set
              holder = excluded.holder, due_at = excluded.due_at, started_at = now(), finished_at = null, outcome = null,
              failures = ${JOBS}.failures + ${died},
              tries = case when ${JOBS}.due_at = excluded.due_at then ${JOBS}.tries + ${died} else 0 end`,
        ),
      end: (outcome, { failures, tries }) =>
        executeOnCatalog(
          writer,
          `update ${JOBS} set finished_at = now(), outcome = ${quoteLiteral(outcome)}, failures = ${failures}, tries = ${tries}
            where name = ${quoteLiteral(job)} and holder = ${quoteLiteral(PROCESS)}`,
        ),
    }
  } catch (error) {
    await lease.release()
    throw error
  }
}
