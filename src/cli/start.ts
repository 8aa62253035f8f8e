import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { redact } from '../client/redact.ts'
import { type Config, loadConfig, requireService } from '../config.ts'
import { type Effects, realEffects } from '../effects.ts'
import { ConfigError, WarehouseError } from '../errors.ts'
import { diagnose } from '../schedule/diagnose.ts'
import { healthOf, readHealth, recordsOf, writeHealth } from '../schedule/health.ts'
import type { Job, JobRecord } from '../schedule/job.ts'
import { remembered } from '../schedule/remembered.ts'
import { runSchedule, type ScheduleOptions } from '../schedule/run-schedule.ts'
import { takeLock } from '../warehouse/lock.ts'
import type { Context } from './context.ts'
import { readTargets } from './deliver.ts'
import { lastRun } from './last-run.ts'
import { jsonLog } from './log-console.ts'
import { plannedJobs } from './planned-jobs.ts'
import { allReports } from './report-files.ts'
import { healthFileOf } from './schedule-state.ts'
import { syncedTogether, tidy, work } from './scheduled-work.ts'

export interface StartFlags {
  readonly health?: boolean
  readonly json?: boolean
}

/**
 * `faultline start`: syncs and makes reports when they are due, until it is told to stop; with --health it says how the
 * process that does so fares. Returns the exit status.
 */
export async function startCommand(base: Context, flags: StartFlags): Promise<number> {
  const config = loadConfig(base.overrides)
  if (flags.health) return tellHealth(base, config, flags)
  const secrets: string[] = []
  const context: Context = {
    ...base,
    signal: base.signal,
    keepSecret(secret) {
      // Every run says its key again.
      if (secrets.includes(secret)) return
      secrets.push(secret)
      base.keepSecret(secret)
    },
  }
  // What is wrong with the configuration is told now, and not in the night.
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
  const jobs = plannedJobs(config, reports)
  const release = await holdSchedule(healthFileOf(config))
  try {
    return await keepSchedule(context, config, jobs, effects, () => secrets)
  } finally {
    release()
  }
}

async function keepSchedule(
  context: Context,
  config: Config,
  jobs: readonly Job[],
  effects: Effects,
  secrets: () => readonly string[],
): Promise<number> {
  const { signal } = context
  const startedAt = effects.now()
  const path = healthFileOf(config)
  const records = await recall(config, jobs)
  effects.log.info('schedule started', {
    warehouse: config.warehouse,
    health_file: path,
    jobs: Object.fromEntries(jobs.map(({ name, cron, timezone }) => [name, `${cron.text} ${timezone}`])),
  })
  const save: ScheduleOptions['save'] = (state, states) => {
    const health = healthOf(state, { pid: process.pid, startedAt, now: effects.now() }, states)
    try {
      writeHealth(path, redact(health, secrets()))
    } catch (error) {
      effects.log.warn('the health file cannot be written', { error: (error as Error).message })
    }
  }
  const isTidy = await runSchedule({
    jobs,
    records,
    notBefore: config.schedule.catchUp ? 0 : startedAt,
    effects,
    signal,
    save,
    async run(job) {
      try {
        return await work(context, job, effects)
      } finally {
        if (!signal.aborted) tidy(context, effects)
      }
    },
  })
  effects.log.info('schedule stopped', { all_ended: isTidy })
  // What did not end in time is in the middle of something that cannot be broken off, and would keep the process.
  if (!isTidy) process.exit(1)
  return 0
}

/** What earlier processes did, as their health file and the warehouse tell it. */
async function recall(config: Config, jobs: readonly Job[]): Promise<Map<string, JobRecord>> {
  const health = readHealth(healthFileOf(config))
  const records = health ? recordsOf(health) : new Map<string, JobRecord>()
  const held = await lastRun(config.warehouse, syncedTogether(config))
  for (const { name, kind, subject } of jobs) {
    // Those of accounts that are synced by themselves are in the file only.
    if (kind !== 'sync' || subject !== undefined || held === undefined) continue
    const record = remembered(records.get(name), held)
    if (record) records.set(name, record)
    else records.delete(name)
  }
  return records
}

/** One process keeps a schedule: two would sync twice, and send everything twice. */
async function holdSchedule(healthFile: string): Promise<() => void> {
  try {
    mkdirSync(dirname(healthFile), { recursive: true })
    return await takeLock(`${healthFile}.lock`)
  } catch (cause) {
    if (/could not set lock/i.test(String(cause))) {
      const pid = readHealth(healthFile)?.pid
      throw new WarehouseError(
        `Another \`faultline start\` keeps this schedule${pid === undefined ? '' : ` (process ${pid})`}.`,
        { next: 'Stop it first, or give this one a warehouse of its own.' },
      )
    }
    throw new ConfigError(`${healthFile} cannot be written: ${(cause as Error).message}`, {
      cause,
      next: 'Name another file as `schedule.healthFile`.',
    })
  }
}

function tellHealth({ console }: Context, config: Config, flags: StartFlags): number {
  const health = readHealth(healthFileOf(config))
  const { problems, warnings } = diagnose(health, Date.now())
  if (flags.json) console.out(JSON.stringify({ healthy: problems.length === 0, problems, warnings, health }))
  else {
    for (const line of [...problems, ...warnings]) console.note(line)
    if (problems.length === 0) console.out('healthy')
  }
  return problems.length === 0 ? 0 : 1
}
