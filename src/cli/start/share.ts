import type { Config } from '../../config/config.ts'
import { redisOf } from '../../config/limits.ts'
import { RATE_LIMITS } from '../../contract/limits.ts'
import type { Effects, Log } from '../../effects.ts'
import type { FaultlineError } from '../../errors.ts'
import { type JobState, REPORT_WAITS_MS, type Since, stateOf as stateOfRecord } from '../../schedule/due.ts'
import type { Job } from '../../schedule/jobs.ts'
import { afterRun, isDone, type JobRecord, newRecord, type Outcome } from '../../schedule/record.ts'
import type { Claim, KnownJobs, SharedJobs, StoredJob } from '../../warehouse/shared-jobs.ts'
import type { Context } from '../context.ts'
import { isOfAccount, sharedName, storedOf } from './account-jobs.ts'
import { tidy, work } from './work.ts'

/** Accounts synced side by side unless said otherwise: a worker is one of several. */
const JOBS = 4
/** How often a worker looks for work. */
const LOOK_MS = 5_000
/** What the worker before has sent counts for so long. */
const WINDOW_MS = Math.max(...RATE_LIMITS.map(({ windowMs }) => windowMs))

/** What the machines share. */
interface Shared {
  readonly jobs: SharedJobs
  /** Whether there is anything to report of. */
  hasData(): Promise<boolean>
}

export interface Sharing {
  readonly effects: Effects
  /** Jobs side by side. */
  readonly most?: number | undefined
  /** Ends when nothing is due that no other process has; otherwise when it is stopped. */
  readonly isOnce?: boolean
  /** Called at every look. */
  look?(state: 'waiting' | 'running' | 'stopped', jobs: readonly JobState[]): void
}

/**
 * Does the jobs that are due and several machines share, each once whatever machines share them: it is claimed first, and what all know of its last
 * run decides whether it is still due. A job whose process died is done by another. One report runs here at a time, and waits for
 * syncs that were due before it, wherever they run, unless they take hours.
 * @returns whether no job of this process failed
 */
export async function shareJobs(
  context: Context,
  config: Config,
  { jobs: shared, hasData }: Shared,
  jobs: readonly Job[],
  { effects, most = config.sync.jobs ?? JOBS, isOnce = false, look }: Sharing,
): Promise<boolean> {
  const { signal } = context
  // Limits that are shared through Redis know what the worker before has sent.
  const quietMs = redisOf(config.limits) === undefined ? WINDOW_MS : 0
  const running = new Map<Job, Promise<void>>()
  /** Of these those whose report is made, and only waits for its targets. */
  const delivering = new Set<Job>()
  let hasFailed = false
  let states: readonly JobState[] = []
  const say = saying(effects.log)
  // Of PostgreSQL's clock. Whoever calls it again and again has not mended anything each time.
  let restartedAt = isOnce ? 0 : undefined
  const busy = () => [...running.keys()].filter((job) => !delivering.has(job))
  const start = async (): Promise<number> => {
    const known = await shared.read()
    const { now } = known
    restartedAt ??= now
    const since = { notBefore: 0, restartedAt }
    states = jobs.map((job) => stateOf(job, storedOf(job, known), now, since))
    const ready = states
      .filter(({ job, nextRunAt }) => nextRunAt !== null && nextRunAt <= now && !running.has(job))
      .sort((a, b) => urgencyOf(a) - urgencyOf(b))
    let claimed = 0
    for (const { job, due } of ready) {
      if (running.size >= most || signal.aborted) break
      if (job.kind === 'report' && !mayReport(due!, states, known, busy())) continue
      if (job.kind === 'report' && !(await hasData())) continue
      const claim = await shared.claim(sharedName(job, known), (newest) => storedOf(job, newest))
      if (claim === undefined) continue
      const { nextRunAt, due: at } = stateOf(job, claim.before, now, since)
      if (nextRunAt === null || at === null || nextRunAt > now) {
        await claim.release()
        continue
      }
      claimed++
      const run = runJob(context, {
        ...{ job, claim, effects, now, at, shared },
        quietMs: job.kind === 'sync' ? quietMs : 0,
        free: () => delivering.add(job),
      })
        .then((outcome) => {
          if (outcome === 'failed') hasFailed = true
        })
        .finally(() => {
          running.delete(job)
          delivering.delete(job)
        })
      running.set(job, run)
    }
    if (claimed === 0 && running.size === 0) say('info', waitingFor(states, known))
    return claimed
  }
  for (;;) {
    const claimed = await start().catch((error: FaultlineError) => {
      if (isOnce) throw error
      say('warn', {
        message: 'the lake cannot be asked for work',
        facts: { error: error.message, next: error.next },
      })
      return 0
    })
    look?.(running.size > 0 ? 'running' : 'waiting', states)
    if (isOnce && claimed === 0 && running.size === 0) return !hasFailed
    const wait = effects.sleep(LOOK_MS, signal).catch(() => undefined)
    await (running.size > 0 ? Promise.race([wait, ...running.values()]) : wait)
    if (signal.aborted) {
      await Promise.all(running.values())
      look?.('stopped', states)
      return !hasFailed
    }
  }
}

/** What comes first is smaller: what was never done, or it would wait behind others for ever; then what is due for longest. */
function urgencyOf({ record, due }: JobState): number {
  return record.startedAt === null ? Number.NEGATIVE_INFINITY : due!
}

interface Said {
  readonly message: string
  readonly facts: Record<string, unknown>
}

/** Says something when it is not what was said last: a worker looks for work every few seconds. */
function saying(log: Log) {
  let last = ''
  return (level: 'info' | 'warn', said: Said) => {
    const text = JSON.stringify(said)
    if (text !== last) log[level](said.message, said.facts)
    last = text
  }
}

/** Why a worker does nothing. */
function waitingFor(states: readonly JobState[], known: KnownJobs): Said {
  const times = states.filter(({ nextRunAt }) => nextRunAt !== null)
  const busy = times.filter(({ nextRunAt }) => nextRunAt! <= known.now)
  if (busy.length > 0) {
    const held = busy.map(({ job }) => [job.name, storedOf(job, known)?.holder ?? null])
    return { message: 'others do what is due', facts: { jobs: Object.fromEntries(held) } }
  }
  const [next] = times.sort((a, b) => a.nextRunAt! - b.nextRunAt!)
  if (next === undefined) return { message: 'nothing is ever due', facts: {} }
  const until = `${new Date(next.nextRunAt!).toISOString().slice(0, 16)}Z`
  return { message: `nothing is due until ${until}`, facts: { job: next.job.name } }
}

/** Whether a report need not wait: for another of this process, or for syncs that were due before it. */
function mayReport(
  at: number,
  states: readonly JobState[],
  known: KnownJobs,
  running: readonly Job[],
): boolean {
  if (running.some(({ kind }) => kind === 'report')) return false
  return !states.some(({ job, nextRunAt, due }) => {
    if (job.kind !== 'sync') return false
    const stored = storedOf(job, known)
    if (stored === undefined || stored.finishedAt !== null)
      return nextRunAt !== null && nextRunAt <= known.now && due! <= at
    return stored.dueAt <= at && known.now - stored.startedAt < REPORT_WAITS_MS
  })
}

interface Run {
  readonly job: Job
  readonly claim: Claim
  readonly shared: SharedJobs
  readonly effects: Effects
  readonly quietMs: number
  readonly now: number
  /** What it is due for. */
  readonly at: number
  readonly free: () => void
}

/** Runs a job that was claimed, and notes how it ended. */
async function runJob(
  context: Context,
  { job, claim, shared, effects, quietMs, now, at, free }: Run,
): Promise<Outcome> {
  const { before } = claim
  const signal = AbortSignal.any([context.signal, claim.lost])
  let outcome: Outcome = 'stopped'
  try {
    // Each run has a client of its own, which knows nothing of what was sent before, by whomever.
    const rest = before === undefined ? 0 : quietMs - (now - (before.finishedAt ?? now))
    if (rest > 0) {
      effects.log.info('waits until what was sent before is out of the limits', {
        job: job.name,
        ms: rest,
      })
      await effects.sleep(rest, signal)
    }
    await claim.begin(at)
    const result = await work({ ...context, signal }, job, effects, {
      due: at,
      // A time that is none of its schedule is that of the first start.
      isFirst: before === undefined || job.cron.last(at) !== at,
      free,
    })
    outcome = result.outcome
    if (result.accountId !== undefined && isOfAccount(job) && job.accountId === undefined)
      await shared.recordKey(job.keyDigest, result.accountId)
    effects.log.info(`${job.kind} ended`, { job: job.name, outcome, error: result.error })
  } catch (error) {
    if (!context.signal.aborted) {
      outcome = 'failed'
      effects.log.warn(`${job.kind} failed`, { job: job.name, error: (error as Error).message })
    }
  } finally {
    const run = { dueAt: at, startedAt: now, finishedAt: now, outcome, error: null }
    const { failures } = afterRun(recordOf(before, now), run)
    // One that failed since its lock was lost is due at once, or another worker has it already.
    const note = async () => {
      if (!isDone(outcome)) await claim.confirm()
      await claim.end(outcome, failures)
    }
    if (!claim.lost.aborted) await note().catch(() => undefined)
    await claim.release()
    if (job.kind === 'report' && !signal.aborted) tidy(context, effects)
  }
  return outcome
}

/** A job by what all know of it. One that was begun and not ended is due: either it runs, and cannot be claimed, or its process died. */
function stateOf(job: Job, stored: StoredJob | undefined, now: number, since: Since): JobState {
  const record = recordOf(stored, now)
  const interrupted: JobRecord = { ...record, outcome: 'stopped' }
  const isOver = stored === undefined || record.outcome !== null
  return { ...stateOfRecord(job, isOver ? record : interrupted, since), record }
}

function recordOf(stored: StoredJob | undefined, now: number): JobRecord {
  if (stored === undefined) return newRecord(now)
  const { dueAt, startedAt, finishedAt, failures } = stored
  const outcome = stored.outcome as Outcome | null
  return {
    ...newRecord(now),
    dueAt,
    startedAt,
    finishedAt,
    outcome,
    failures,
    succeededAt: isDone(outcome) ? finishedAt : null,
  }
}
