import { createHash } from 'node:crypto'
import type { Account } from '../../config/accounts-section.ts'
import { type Config, requireService } from '../../config/config.ts'
import { parseCron } from '../../schedule/cron.ts'
import type { Job } from '../../schedule/jobs.ts'
import type { KnownJobs, StoredJob } from '../../warehouse/shared-jobs.ts'

/** The sync of one account. What it is called is the configuration's; what workers know it by is the service's. */
export interface AccountJob extends Job {
  /** Host and port of its service. */
  readonly host: string
  readonly accountId: bigint | undefined
  /** Tells its key from others, for an account whose number is not known yet. */
  readonly keyDigest: string
}

/** The syncs of accounts, each a job of its own. @throws ConfigError where an address or a key is missing */
export function accountJobs(config: Config, accounts: readonly Account[]): AccountJob[] {
  const zone = config.schedule.timezone ?? config.timezone ?? 'UTC'
  return accounts.map((account) => {
    const { name, schedule, accountId } = account
    const { baseUrl, appKey } = requireService(account)
    const { host } = new URL(baseUrl)
    return {
      name: `sync:${name ?? ''}`,
      kind: 'sync',
      subject: name,
      cron: parseCron(schedule ?? config.schedule.sync, zone, 'schedule.sync'),
      host,
      accountId,
      keyDigest: createHash('sha256').update(`${host} ${appKey}`).digest('hex').slice(0, 32),
    }
  })
}

export function isOfAccount(job: Job): job is AccountJob {
  return 'keyDigest' in job
}

/**
 * What all workers know a job by, whatever their configurations call it: the service and the number of the account; the digest of
 * its key until a sync has told the number.
 */
export function sharedName(job: Job, known: Pick<KnownJobs, 'accounts'>): string {
  return namesOf(job, known)[0]!
}

/** What is remembered of a job: by its name, or by one it had before. */
export function storedOf(job: Job, known: Pick<KnownJobs, 'accounts' | 'jobs'>): StoredJob | undefined {
  return namesOf(job, known)
    .map((name) => known.jobs.get(name))
    .find((stored) => stored !== undefined)
}

function namesOf(job: Job, { accounts }: Pick<KnownJobs, 'accounts'>): string[] {
  if (!isOfAccount(job)) return [job.name]
  const { host, keyDigest, subject } = job
  const accountId = job.accountId ?? accounts.get(keyDigest)
  return [
    ...(accountId === undefined ? [] : [`sync:${host}/${accountId}`]),
    `sync:${host}/key ${keyDigest}`,
    // Of older versions; without a name it was that of every account without one.
    ...(subject === undefined ? [] : [job.name]),
  ]
}
