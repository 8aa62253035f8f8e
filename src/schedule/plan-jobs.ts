import { ConfigError } from '../errors.ts'
import { unknownName } from '../suggest.ts'
import { parseCron } from './cron.ts'
import type { Job } from './job.ts'

/** What of the configuration decides on the schedule. */
export interface ScheduleSettings {
  readonly sync: string
  readonly timezone?: string | undefined
  readonly reports: Readonly<Record<string, string | false>>
}

/** A report as far as its schedule is concerned. */
export interface ScheduledReport {
  readonly name: string
  readonly schedule: string | null
  readonly timezone: string | null
}

/** An account with a time of its own, where there are several. */
export interface ScheduledAccount {
  readonly name: string
  readonly schedule?: string | undefined
}

/**
 * The jobs of a configuration: one sync, or one for each account that has a time of its own and one for all others; and
 * every report that has a schedule. A report's zone is its own, else the schedule's, else `timezone`, else UTC.
 * @throws ConfigError for a time that cannot be read, or a report that is not there
 */
export function planJobs(
  settings: ScheduleSettings,
  world: {
    readonly reports: readonly ScheduledReport[]
    readonly accounts?: readonly ScheduledAccount[]
    readonly timezone: string | undefined
  },
): Job[] {
  const zone = settings.timezone ?? world.timezone ?? 'UTC'
  const own = (world.accounts ?? []).filter(({ schedule }) => schedule !== undefined)
  const isForAll = own.length === 0 || own.length < (world.accounts?.length ?? 0)
  return [
    ...(isForAll ? [syncJob('sync', undefined, settings.sync, 'schedule.sync', zone)] : []),
    ...own.map(({ name, schedule }) =>
      syncJob(`sync:${name}`, name, schedule!, `accounts.${name}.schedule`, zone),
    ),
    ...reportJobs(settings, world.reports, zone),
  ]
}

function syncJob(name: string, subject: string | undefined, text: string, where: string, zone: string): Job {
  return { name, kind: 'sync', subject, cron: parseCron(text, where), timezone: zone }
}

function reportJobs(settings: ScheduleSettings, reports: readonly ScheduledReport[], zone: string): Job[] {
  for (const name of Object.keys(settings.reports)) {
    if (reports.some((report) => report.name === name)) continue
    throw new ConfigError(`schedule.reports: there is no report "${name}".`, {
      next: unknownName(
        name,
        reports.map((report) => report.name),
      ),
    })
  }
  return reports.flatMap(({ name, schedule, timezone }): Job[] => {
    const isSet = Object.hasOwn(settings.reports, name)
    const text = isSet ? settings.reports[name] : schedule
    if (!text) return []
    const where = isSet ? `schedule.reports.${name}` : `schedule of the report ${name}`
    return [
      {
        name: `report:${name}`,
        kind: 'report',
        subject: name,
        cron: parseCron(text, where),
        timezone: timezone ?? zone,
      },
    ]
  })
}
