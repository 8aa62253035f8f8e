import { createHash } from 'node:crypto'
import type { Account } from '../config/accounts-section.ts'
import { type Config, requireService } from '../config/config.ts'
import { ConfigError, unknownName } from '../errors.ts'
import { type Cron, parseCron } from '../settings/cron.ts'

export interface Job {
  /** Unique, and the same after a restart, for example `sync`, `sync:emea` or `report:mtta-mttr`. */
  readonly name: string
  readonly kind: 'sync' | 'report'
  /** Name of the report or of the synced account. Undefined for a sync of all accounts. */
  readonly subject: string | undefined
  readonly cron: Cron
}

/** The sync of one account into a lake. Workers identify the account by its id, or by host and key if it has no id. */
export interface AccountJob extends Job {
  readonly host: string
  readonly accountId: bigint | undefined
  /** Hash of host and key. */
  readonly keyDigest: string
}

/** The parts of the configuration that determine the jobs. */
export interface ScheduleSettings {
  readonly schedule: Pick<Config['schedule'], 'sync' | 'timezone' | 'reports'>
  readonly accounts: readonly Partial<Pick<Account, 'name' | 'schedule'>>[]
  readonly timezone?: string | undefined
}

/** The schedule (a cron expression) and the time zone that a report file sets. Null if the file does not set them. */
export interface ScheduledReport {
  readonly name: string
  readonly schedule: string | null
  readonly timezone: string | null
}

/**
 * The time zone of a report comes from its file, `schedule.timezone`, `timezone` or UTC, in this order.
 * @param tell receives each error in the schedule of a report file; that report gets no job (default: throws)
 * @throws ConfigError for an invalid schedule in the configuration, or an unknown report
 */
export function planJobs(
  config: ScheduleSettings,
  reports: readonly ScheduledReport[],
  tell: (report: string, mistake: ConfigError) => void = (_, mistake) => {
    throw mistake
  },
  syncs: readonly Job[] = syncJobs(config),
): Job[] {
  return [...syncs, ...reportJobs(config.schedule.reports, reports, zoneOf(config), tell)]
}

/** Returns a job for each account with its own schedule, and one job for all other accounts. */
function syncJobs(config: ScheduleSettings): Job[] {
  const { schedule, accounts } = config
  const own = accounts.filter((account) => account.schedule !== undefined)
  const syncs = own.map(
    ({ name, schedule: text }): Job => ({
      name: `sync:${name}`,
      kind: 'sync',
      subject: name,
      cron: parseCron(text!, zoneOf(config), `accounts.${name}.schedule`),
    }),
  )
  if (own.length === 0 || own.length < accounts.length) {
    const cron = parseCron(schedule.sync, zoneOf(config), 'schedule.sync')
    syncs.unshift({ name: 'sync', kind: 'sync', subject: undefined, cron })
  }
  return syncs
}

/** Returns a job for each account, for machines that share a lake. @throws ConfigError for a missing address or key */
export function accountJobs(config: ScheduleSettings, accounts: readonly Account[]): AccountJob[] {
  return accounts.map((account) => {
    const { name, schedule, accountId } = account
    const { baseUrl, appKey } = requireService(account)
    const { host } = new URL(baseUrl)
    return {
      name: `sync:${name ?? ''}`,
      kind: 'sync',
      subject: name,
      cron: parseCron(schedule ?? config.schedule.sync, zoneOf(config), 'schedule.sync'),
      host,
      accountId,
      keyDigest: createHash('sha256').update(`${host} ${appKey}`).digest('hex').slice(0, 32),
    }
  })
}

export function isOfAccount(job: Job): job is AccountJob {
  return 'keyDigest' in job
}

const zoneOf = ({ schedule, timezone }: ScheduleSettings) => schedule.timezone ?? timezone ?? 'UTC'

/** @param times cron expressions by report name, from the configuration. False disables a report */
function reportJobs(
  times: Readonly<Record<string, string | false>>,
  reports: readonly ScheduledReport[],
  zone: string,
  tell: (report: string, mistake: ConfigError) => void,
): Job[] {
  const names = reports.map(({ name }) => name)
  for (const name of Object.keys(times)) {
    if (names.includes(name)) continue
    throw new ConfigError(`schedule.reports: unknown report "${name}".`, {
      next: unknownName(name, names),
    })
  }
  return reports.flatMap(({ name, schedule, timezone }): Job[] => {
    const isSet = Object.hasOwn(times, name)
    const text = isSet ? times[name] : schedule
    if (!text) return []
    const where = isSet ? `schedule.reports.${name}` : `schedule of the report ${name}`
    try {
      const cron = parseCron(text, timezone ?? zone, where)
      return [{ name: `report:${name}`, kind: 'report', subject: name, cron }]
    } catch (error) {
      if (isSet || !(error instanceof ConfigError)) throw error
      tell(name, error)
      return []
    }
  })
}
