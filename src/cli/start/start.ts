import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Config, loadConfig } from '../../config/config.ts'
import type { Log } from '../../effects.ts'
import { ConfigError, WarehouseError } from '../../errors.ts'
import { allReports } from '../../report/report-catalog.ts'
import type { JobState } from '../../schedule/due.ts'
import { readHealth } from '../../schedule/health.ts'
import { accountJobs, type Job, planJobs } from '../../schedule/jobs.ts'
import type { ScheduleOptions } from '../../schedule/run-schedule.ts'
import { resolveStorage } from '../../sdk/resolve-storage.ts'
import { isLocked, takeLock } from '../../warehouse/file/file-lock.ts'
import type { Published } from '../../warehouse/published.ts'
import { refuseToOverwriteInputs } from '../check-output-path.ts'
import type { Context } from '../context.ts'
import { readTargets } from '../deliver-reports.ts'
import { pruneOutputs } from './job-handlers.ts'
import { createLongRunningContext } from './long-running-context.ts'
import { type MonitorOptions, monitored, printState } from './monitoring.ts'
import { runJobs } from './run-jobs.ts'

export async function start(base: Context, options: MonitorOptions): Promise<number> {
  const config = loadConfig(base.overrides)
  const healthFile = config.schedule.healthFile
  const state = printState(base, healthFile, options)
  if (state !== undefined) return state
  await refuseToOverwriteInputs(healthFile, 'schedule.healthFile', base.overrides)
  await refuseToOverwriteInputs(options.metricsFile, '--metrics-file', base.overrides)
  const { context, effects, secrets } = createLongRunningContext(base, config.accounts)
  // Reads the targets now, so that a missing password is reported at the start and not at night.
  readTargets(context, config)
  const { log } = effects
  const published = await resolveStorage(config.warehouse)
  const jobs = jobsOf(config, published, log)
  const release = await holdSchedule(healthFile)
  try {
    const { save: tell, close } = await monitored(config, options, { effects, secrets, healthFile })
    log.info('schedule started', {
      warehouse: config.warehouse,
      health_file: healthFile,
      jobs: Object.fromEntries(jobs.map(({ name, cron }) => [name, `${cron.text} ${cron.timezone}`])),
    })
    let isFirst = true
    const save: ScheduleOptions['save'] = (state, states) => {
      if (isFirst) log.info('next runs', nextRunsOf(states))
      isFirst = false
      tell(state, states)
    }
    const after = () => pruneOutputs(context, effects)
    const running = runJobs(context, config, jobs, { effects, published, save, after })
    const { isTidy } = await running.finally(close)
    log.info('schedule stopped', { all_ended: isTidy })
    // Unfinished work cannot be interrupted and would keep the process alive.
    if (!isTidy) process.exit(1)
    return 0
  } finally {
    release()
  }
}

function jobsOf(config: Config, { jobs: shared }: Published, log: Log): Job[] {
  const reports = allReports(config.reports)
  for (const { name, problem } of reports) {
    if (!problem) continue
    const { file, line, message } = problem
    log.warn('an invalid report is not scheduled', { report: name, file, line, error: message })
  }
  const unread = (report: string, { message }: ConfigError) => {
    const file = reports.find(({ name }) => name === report)?.file
    log.warn('a report with an invalid schedule is not scheduled', { report, file, error: message })
  }
  return planJobs(config, reports, unread, shared && accountJobs(config, config.accounts))
}

function nextRunsOf(states: readonly JobState[]): Record<string, string | null> {
  const at = (time: number | null) => (time === null ? null : new Date(time).toISOString())
  return Object.fromEntries(states.map(({ job, nextRunAt }) => [job.name, at(nextRunAt)]))
}

/** Locks the schedule, because a second process would sync and send everything again. */
async function holdSchedule(healthFile: string): Promise<() => void> {
  try {
    mkdirSync(dirname(healthFile), { recursive: true })
    return await takeLock(`${healthFile}.lock`)
  } catch (cause) {
    if (isLocked(cause)) {
      const pid = readHealth(healthFile)?.pid
      throw new WarehouseError(
        `Another \`faultline start\` runs this schedule${pid === undefined ? '' : ` (process ${pid})`}.`,
        { next: 'Stop it first, or use a different warehouse.' },
      )
    }
    throw new ConfigError(`${healthFile} cannot be written: ${(cause as Error).message}`, {
      cause,
      next: 'Set another file as `schedule.healthFile`.',
    })
  }
}
