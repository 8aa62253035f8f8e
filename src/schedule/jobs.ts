import { createHash } from 'node:crypto'
import type { Account } from '../config/accounts-section.ts'
import { type Config, requireService } from '../config/config.ts'
import { ConfigError, unknownName } from '../errors.ts'
import { type Cron, parseCron } from '../settings/cron.ts'

/** Something that is done at certain times. */
export interface Job {
  /** Unique and steady over restarts: `sync`, `sync:emea`, `report:mtta-mttr`. */
  readonly name: string
  readonly kind: 'sync' | 'report'
  /** What the command is given: the account of a sync, if there are several, or the report. */
  readonly subject: string | undefined
  readonly cron: Cron
}

/** The sync of one account. What it is called is the configuration's; what workers know it by is the service's. */
export interface AccountJob extends Job {
  /** Host and port of its service. */
  readonly host: string
  readonly accountId: bigint | undefined
  /** Tells its key from others, for an account whose number is not known yet. */
  readonly keyDigest: string
}

/** What of the configuration decides on the jobs. */
export interface ScheduleSettings {
  readonly schedule: Pick<Config['schedule'], 'sync' | 'timezone' | 'reports'>
  readonly accounts: readonly Partial<Pick<Account, 'name' | 'schedule'>>[]
  readonly timezone?: string | undefined
}

/** A report as far as its schedule is concerned. */
export interface ScheduledReport {
  readonly name: string
  readonly schedule: string | null
  readonly timezone: string | null
}

/**
 * The jobs of a configuration: its syncs, and every report that has a schedule. A report's zone is its own, else the
 * schedule's, else `timezone`, else UTC.
 * @param tell is given what is wrong with the time in a report's own file, which then is no job; thrown by default
 * @throws ConfigError for a time of the configuration that cannot be read, or a report that is not there
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

/** The syncs of one process: one, or one for each account that has a time of its own and one for all others. */
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

/** The syncs that several machines share: each account is a job of its own. @throws ConfigError where an address or a key is missing */
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

/** Whether a job is the sync of one account that several machines share. */
export function isOfAccount(job: Job): job is AccountJob {
  return 'keyDigest' in job
}

const zoneOf = ({ schedule, timezone }: ScheduleSettings) => schedule.timezone ?? timezone ?? 'UTC'

/** @param times those of the configuration, by the name of the report; false: not at all */
function reportJobs(
  times: Readonly<Record<string, string | false>>,
  reports: readonly ScheduledReport[],
  zone: string,
  tell: (report: string, mistake: ConfigError) => void,
): Job[] {
  const names = reports.map(({ name }) => name)
  for (const name of Object.keys(times)) {
    if (names.includes(name)) continue
    throw new ConfigError(`schedule.reports: there is no report "${name}".`, {
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
