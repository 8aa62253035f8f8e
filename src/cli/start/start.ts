import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { redact } from '../../client/redact.ts'
import { type Config, loadConfig, requireService } from '../../config/config.ts'
import { type Effects, realEffects } from '../../effects.ts'
import { ConfigError, WarehouseError } from '../../errors.ts'
import { allReports } from '../../report/list.ts'
import { diagnose, ended } from '../../schedule/diagnose.ts'
import { healthFileOf, healthOf, readHealth, recordsOf, writeHealth } from '../../schedule/health.ts'
import { type Job, planJobs } from '../../schedule/jobs.ts'
import { type JobRecord, withLastRun } from '../../schedule/record.ts'
import { runSchedule, type ScheduleOptions } from '../../schedule/run-schedule.ts'
import { takeLock } from '../../warehouse/file/lock.ts'
import { publishedAt } from '../../warehouse/file-or-lake.ts'
import type { Context } from '../context.ts'
import { readTargets } from '../deliver.ts'
import { traced } from '../trace.ts'
import { accountJobs } from './account-jobs.ts'
import { lastRun } from './last-run.ts'
import { jsonLog } from './log-console.ts'
import { serveMetrics, writeMetrics } from './metrics.ts'
import { shareJobs } from './share.ts'
import { syncedTogether, tidy, work } from './work.ts'

interface StartFlags {
  readonly health?: boolean
  /** Whether the scheduler lives, and nothing else. */
  readonly alive?: boolean
  readonly json?: boolean
  /** Port, or host and port, at which metrics are served. */
  readonly metrics?: string
  /** File for the textfile collector of node_exporter. */
  readonly metricsFile?: string
}

/**
 * `faultline start`: syncs and makes reports when they are due, until it is stopped; with --health it prints the
 * scheduler's health, with --alive whether it lives. Returns the exit status.
 */
export async function startCommand(base: Context, flags: StartFlags): Promise<number> {
  const config = loadConfig(base.overrides)
  if (flags.alive) return printAlive(base, config)
  if (flags.health) return printHealth(base, config, flags)
  const secrets: string[] = []
  const context: Context = {
    ...base,
    signal: base.signal,
    keepSecret(secret) {
      // Every run gives its key again.
      if (secrets.includes(secret)) return
      secrets.push(secret)
      base.keepSecret(secret)
    },
  }
  // A mistake in the configuration is an error now, and not in the night.
  for (const account of config.accounts) context.keepSecret(requireService(account).appKey)
  readTargets(context, config)
  const effects = { ...realEffects(), log: jsonLog(context.console, Date.now, context.verbose) }
  const reports = allReports(config.reports)
  for (const { name, problem } of reports) {
    if (!problem) continue
    const { file, line, message } = problem
    effects.log.warn('a report cannot be read and is not scheduled', {
      report: name,
      file,
      line,
      error: message,
    })
  }
  const planned = planJobs(config, reports, (report, { message }) => {
    const file = reports.find(({ name }) => name === report)?.file
    effects.log.warn('a report has no time that can be read and is not scheduled', {
      report,
      file,
      error: message,
    })
  })
  // Where machines share them each account is a job.
  const jobs =
    publishedAt(config.warehouse).jobs === undefined
      ? planned
      : [...accountJobs(config, config.accounts), ...planned.filter(({ kind }) => kind === 'report')]
  const release = await holdSchedule(healthFileOf(config))
  try {
    const metrics =
      flags.metrics === undefined ? undefined : await serveMetrics(flags.metrics, config, effects.now)
    if (metrics) effects.log.info('metrics are served', { url: metrics.url })
    try {
      return await keepSchedule(
        context,
        config,
        jobs,
        { effects, metricsFile: flags.metricsFile },
        () => secrets,
      )
    } finally {
      metrics?.close()
    }
  } finally {
    release()
  }
}

async function keepSchedule(
  context: Context,
  config: Config,
  jobs: readonly Job[],
  { effects, metricsFile }: { effects: Effects; metricsFile: string | undefined },
  secrets: () => readonly string[],
): Promise<number> {
  const { signal } = context
  const startedAt = effects.now()
  const path = healthFileOf(config)
  const { jobs: shared, isThere: hasData } = publishedAt(config.warehouse)
  effects.log.info('schedule started', {
    warehouse: config.warehouse,
    health_file: path,
    jobs: Object.fromEntries(jobs.map(({ name, cron }) => [name, `${cron.text} ${cron.timezone}`])),
  })
  const save: ScheduleOptions['save'] = (state, states) => {
    const health = healthOf(state, { pid: process.pid, startedAt, now: effects.now() }, states)
    try {
      writeHealth(path, redact(health, secrets()))
    } catch (error) {
      effects.log.warn('the health file cannot be written', { error: (error as Error).message })
    }
    if (metricsFile === undefined) return
    writeMetrics(metricsFile, config).catch((error: Error) =>
      effects.log.warn('the file of metrics cannot be written', { error: error.message }),
    )
  }
  if (shared !== undefined) {
    await shareJobs(context, config, { jobs: shared, hasData }, jobs, { effects, look: save })
    effects.log.info('schedule stopped')
    return 0
  }
  const isTidy = await runSchedule({
    jobs,
    records: await recordsOfJobs(config, jobs),
    catchUp: config.schedule.catchUp,
    effects,
    signal,
    save,
    hasData: () => existsSync(String(config.warehouse)),
    async run(job, _, what) {
      try {
        return await traced(
          job.name,
          () => work(context, job, effects, what),
          ({ outcome, error }) => ({
            outcome,
            error: outcome === 'ok' ? null : redact(error ?? outcome, secrets()),
          }),
        )
      } finally {
        if (!signal.aborted) tidy(context, effects)
      }
    },
  })
  effects.log.info('schedule stopped', { all_ended: isTidy })
  // What did not end in time cannot be interrupted, and would keep the process.
  if (!isTidy) process.exit(1)
  return 0
}

/** What earlier processes did, by their health file and the warehouse. */
async function recordsOfJobs(config: Config, jobs: readonly Job[]): Promise<Map<string, JobRecord>> {
  const health = readHealth(healthFileOf(config))
  const records = health ? recordsOf(health) : new Map<string, JobRecord>()
  const last = await lastRun(config.warehouse, syncedTogether(config))
  for (const { name, kind, subject } of jobs) {
    // Those of accounts that have a time of their own are in the health file only.
    if (kind !== 'sync' || subject !== undefined || last === undefined) continue
    const record = withLastRun(records.get(name), last)
    if (record) records.set(name, record)
    else records.delete(name)
  }
  return records
}

/** One process holds a schedule: two would sync twice, and send everything twice. */
async function holdSchedule(healthFile: string): Promise<() => void> {
  try {
    mkdirSync(dirname(healthFile), { recursive: true })
    return await takeLock(`${healthFile}.lock`)
  } catch (cause) {
    if (/could not set lock/i.test(String(cause))) {
      const pid = readHealth(healthFile)?.pid
      throw new WarehouseError(
        `Another \`faultline start\` runs this schedule${pid === undefined ? '' : ` (process ${pid})`}.`,
        { next: 'Stop it first, or give this one a warehouse of its own.' },
      )
    }
    throw new ConfigError(`${healthFile} cannot be written: ${(cause as Error).message}`, {
      cause,
      next: 'Name another file as `schedule.healthFile`.',
    })
  }
}

function printAlive({ console }: Context, config: Config): number {
  const end = ended(readHealth(healthFileOf(config)), Date.now())
  if (end === null) console.out('alive')
  else console.note(end)
  return end === null ? 0 : 1
}

function printHealth({ console }: Context, config: Config, flags: StartFlags): number {
  const health = readHealth(healthFileOf(config))
  const { problems, warnings } = diagnose(health, Date.now())
  if (flags.json) console.out(JSON.stringify({ healthy: problems.length === 0, problems, warnings, health }))
  else {
    for (const line of [...problems, ...warnings]) console.note(line)
    if (problems.length === 0) console.out('healthy')
  }
  return problems.length === 0 ? 0 : 1
}
