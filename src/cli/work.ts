import { chooseAccounts, loadConfig, requireService } from '../config/config.ts'
import { redisOf } from '../config/limits.ts'
import { RATE_LIMITS } from '../contract/limits.ts'
import { type Effects, realEffects } from '../effects.ts'
import { ConfigError } from '../errors.ts'
import { parseCron } from '../schedule/cron.ts'
import { dueAt } from '../schedule/due.ts'
import type { Job } from '../schedule/jobs.ts'
import { afterRun, type JobRecord, newRecord, type Outcome } from '../schedule/record.ts'
import { type Claim, claimJob, readJobs, type StoredJob, WORKER } from '../warehouse/lake/jobs.ts'
import type { Context } from './context.ts'
import { countOf } from './count-of.ts'
import { jsonLog } from './start/log-console.ts'
import { work } from './start/work.ts'

interface WorkFlags {
  /** Ends when nothing is due that no other worker has. */
  readonly once?: boolean
  /** Names or ids, separated by commas. */
  readonly accounts?: string
  readonly jobs?: string
}

/** Accounts synced side by side unless said otherwise: a worker is one of several. */
const JOBS = 4
/** How often a worker looks for work. */
const LOOK_MS = 5_000
/** What the worker before has sent counts for so long. */
const WINDOW_MS = Math.max(...RATE_LIMITS.map(({ windowMs }) => windowMs))

/**
 * `faultline work`: syncs the accounts of a lake that are due, each by one of all workers, until it is stopped. Whose worker dies
 * is taken over by another. Returns 1 when a sync failed with --once.
 */
export async function workCommand(context: Context, flags: WorkFlags): Promise<number> {
  const config = loadConfig(context.overrides)
  const { warehouse: lake } = config
  if (typeof lake === 'string') {
    throw new ConfigError('`work` shares accounts among several machines, and the warehouse is one file.', {
      next: '`faultline start` syncs into a file; src/warehouse/lake/README.md says how to move to a lake.',
    })
  }
  const accounts = chooseAccounts(config, flags.accounts)
  for (const account of accounts) context.keepSecret(requireService(account).appKey)
  const zone = config.schedule.timezone ?? config.timezone ?? 'UTC'
  const jobs = accounts.map(
    ({ name, schedule }): Job => ({
      name: `sync:${name ?? ''}`,
      kind: 'sync',
      subject: name,
      cron: parseCron(schedule ?? config.schedule.sync, zone, 'schedule.sync'),
    }),
  )
  const effects = { ...realEffects(), log: jsonLog(context.console, Date.now, context.verbose) }
  const most = countOf('--jobs', flags.jobs) ?? config.sync.jobs ?? JOBS
  // Limits that are shared through Redis know what the worker before has sent.
  const quietMs = redisOf(config.limits) === undefined ? WINDOW_MS : 0
  const running = new Map<string, Promise<void>>()
  let hasFailed = false
  for (;;) {
    if (context.signal.aborted) {
      await Promise.all(running.values())
      context.signal.throwIfAborted()
    }
    const { now, jobs: stored } = await readJobs(lake)
    const due = jobs
      .map((job) => ({ job, at: dueAt(job, recordOf(stored.get(job.name), now), 0) }))
      .filter(({ job, at }) => at !== null && at <= now && !running.has(job.name))
      .sort((a, b) => a.at! - b.at!)
    let claimed = 0
    for (const { job } of due) {
      if (running.size >= most) break
      const claim = await claimJob(lake, job.name)
      if (claim === undefined) continue
      const at = dueAt(job, recordOf(claim.before, now), 0)
      if (at === null || at > now) {
        await claim.release()
        continue
      }
      claimed++
      const run = runJob(context, { job, claim, effects, quietMs, now })
        .then((outcome) => {
          if (outcome === 'failed') hasFailed = true
        })
        .finally(() => running.delete(job.name))
      running.set(job.name, run)
    }
    if (flags.once && claimed === 0 && running.size === 0) return hasFailed ? 1 : 0
    const wait = effects.sleep(LOOK_MS, context.signal).catch(() => undefined)
    await (running.size > 0 ? Promise.race([wait, ...running.values()]) : wait)
  }
}

interface Run {
  readonly job: Job
  readonly claim: Claim
  readonly effects: Effects
  readonly quietMs: number
  readonly now: number
}

/** Runs a job that was claimed, and notes how it ended. */
async function runJob(context: Context, { job, claim, effects, quietMs, now }: Run): Promise<Outcome> {
  const { before } = claim
  const signal = AbortSignal.any([context.signal, claim.lost])
  let outcome: Outcome = 'stopped'
  try {
    const rest =
      before === undefined || before.holder === WORKER ? 0 : quietMs - (now - (before.finishedAt ?? now))
    if (rest > 0) {
      effects.log.info('waits until what another worker sent is out of the limits', {
        job: job.name,
        ms: rest,
      })
      await effects.sleep(rest, signal)
    }
    await claim.begin()
    const result = await work({ ...context, signal }, job, effects)
    outcome = result.outcome
    effects.log.info('sync ended', { job: job.name, outcome, error: result.error })
  } catch (error) {
    if (!context.signal.aborted) {
      outcome = 'failed'
      effects.log.warn('sync failed', { job: job.name, error: (error as Error).message })
    }
  } finally {
    const run = { startedAt: now, finishedAt: now, outcome, error: null }
    const { failures } = afterRun(recordOf(before, now), run)
    // Of a lock that was lost another worker has the job already.
    if (!claim.lost.aborted) await claim.end(outcome, failures).catch(() => undefined)
    await claim.release()
  }
  return outcome
}

/** One that was begun and not ended was interrupted, when it can be claimed. */
function recordOf(stored: StoredJob | undefined, now: number): JobRecord {
  if (stored === undefined) return newRecord(now)
  const { startedAt, finishedAt, failures } = stored
  const outcome = (stored.outcome ?? 'interrupted') as Outcome
  // Its death is no failure of the sync: it is always taken over.
  return {
    ...newRecord(now),
    startedAt,
    finishedAt,
    outcome: outcome === 'interrupted' ? 'stopped' : outcome,
    failures,
  }
}
