import type { Effects } from '../effects.ts'
import { WarehouseError } from '../errors.ts'
import { startCronTrigger } from './cron-trigger.ts'
import { hasPlace, type JobState, type Places, type Running, type Since, startable, stateOf } from './due.ts'
import { idleNote, saying } from './idle-log.ts'
import type { JobStore, KnownJobs } from './job-store.ts'
import type { Job } from './jobs.ts'
import { type RunFor, type RunResult, runJob } from './run-job.ts'

/** How long jobs have to end when the process is stopped. */
const ENDING_MS = 20_000

export interface ScheduleOptions {
  readonly jobs: readonly Job[]
  readonly store: JobStore
  /** Syncs that run side by side: one unless given. */
  readonly syncs?: number | undefined
  /** Whether runs that were missed before the start are caught up. */
  readonly catchUp: boolean
  /** Ends when nothing is due that no other process has; otherwise when it is stopped. */
  readonly isOnce?: boolean
  readonly effects: Pick<Effects, 'now' | 'sleep' | 'log'>
  readonly signal: AbortSignal
  /** Whether there is anything to report on. */
  hasData(): boolean | Promise<boolean>
  /** Does a job's work. It ends soon when the signal is aborted; what it throws is a failure. */
  run(job: Job, signal: AbortSignal, what: RunFor): Promise<RunResult>
  /** Called after every change, and at every look. */
  save?(state: 'waiting' | 'running' | 'stopped', jobs: readonly JobState[]): void
}

/** How a schedule ended. */
export interface ScheduleEnd {
  /** Whether everything under way ended in time. */
  readonly isTidy: boolean
  /** Whether a job of this process failed. */
  readonly hasFailed: boolean
}

/** A process with a schedule. */
interface Loop extends ScheduleOptions {
  readonly places: Places
  readonly running: Map<string, OwnRun>
  readonly say: ReturnType<typeof saying>
  /** By the store's clock, known from the first look on. */
  since: Since | undefined
  states: readonly JobState[]
  hasFailed: boolean
  /** Has the next look done at once; resolves after it. */
  wake(): Promise<void>
}

interface OwnRun extends Running {
  readonly ended: Promise<void>
}

/**
 * Runs jobs when they are due until the signal is aborted, then waits for those under way. So many syncs run at a time,
 * and one report; reports wait for the first data there is. A job that is due again while it runs is run once more when it ends.
 *
 * What is due is decided at each look: each minute or more often, when node-cron calls at a due time, and when a job ends.
 * So what node-cron leaves out is caught up, once: a time that the clock skips, a machine that was off or asleep, a clock that
 * was set, what another process did not end. Before a job runs it is leased, and what the store knows of it by then decides.
 * @throws WarehouseError where the store cannot be asked, and it was to run once
 */
export async function runSchedule(options: ScheduleOptions): Promise<ScheduleEnd> {
  const { jobs, signal, effects, store, isOnce = false } = options
  const { log } = effects
  const turns = turnsOf(effects, signal)
  const loop: Loop = {
    ...options,
    places: { sync: options.syncs ?? 1, report: 1 },
    running: new Map(),
    say: saying(log),
    since: undefined,
    states: [],
    hasFailed: false,
    wake: turns.wake,
  }
  const ring = async ({ name }: Job) => {
    await loop.wake()
    await loop.running.get(name)?.ended
  }
  const bells = isOnce ? [] : jobs.map((job) => startCronTrigger(job.cron, job.name, () => ring(job), log))
  try {
    for (;;) {
      const begun = await look(loop)
      turns.looked()
      if (signal.aborted || (isOnce && begun === 0 && loop.running.size === 0)) break
      await turns.next(store.lookMs)
      if (signal.aborted) break
    }
  } finally {
    for (const end of bells) end()
    turns.looked()
  }
  if (signal.aborted) await ending(loop)
  return { isTidy: loop.running.size === 0, hasFailed: loop.hasFailed }
}

/** Waits between two looks, which can be ended. */
function turnsOf({ sleep }: Pick<Effects, 'sleep'>, signal: AbortSignal) {
  let waking = new AbortController()
  const waiting: (() => void)[] = []
  signal.addEventListener('abort', () => waking.abort(), { once: true })
  return {
    wake() {
      waking.abort()
      return new Promise<void>((resolve) => waiting.push(resolve))
    },
    looked() {
      for (const resolve of waiting.splice(0)) resolve()
    },
    async next(ms: number) {
      if (!signal.aborted) await sleep(ms, waking.signal).catch(() => undefined)
      waking = new AbortController()
    },
  }
}

/** Starts what is due. @returns how many jobs began */
async function look(loop: Loop): Promise<number> {
  const { store, signal, isOnce } = loop
  let begun = 0
  try {
    const known = await refresh(loop)
    if (!signal.aborted) begun = await startDue(loop, known.now)
    if (begun > 0) await refresh(loop)
    else if (loop.running.size === 0 && !signal.aborted) loop.say('info', idleNote(loop.states, known))
  } catch (error) {
    if (!(error instanceof WarehouseError)) throw error
    if (isOnce) throw error
    const { message, next } = error
    loop.say('warn', { message: `${store.name} cannot be asked for work`, facts: { error: message, next } })
  }
  save(loop)
  return begun
}

/** What the store knows now. */
async function refresh(loop: Loop): Promise<KnownJobs> {
  const known = await loop.store.read()
  const { now } = known
  const { notBefore, restartedAt } = loop.since ?? {
    notBefore: loop.catchUp || loop.isOnce ? 0 : now,
    // Whoever calls it again and again has not mended anything each time.
    restartedAt: loop.isOnce ? 0 : now,
  }
  // The clock may be set back.
  loop.since = { notBefore: Math.min(notBefore, now), restartedAt: Math.min(restartedAt, now) }
  loop.states = loop.jobs.map((job) => stateOf(job, known.records.get(job.name)!, loop.since!))
  return known
}

async function startDue(loop: Loop, now: number): Promise<number> {
  const { running, places, signal } = loop
  let begun = 0
  let hasData: boolean | undefined
  for (const { job } of startable(loop.states, [...running.values()], { now, places })) {
    if (signal.aborted) break
    if (!hasPlace(job.kind, [...running.values()], places)) continue
    if (job.kind === 'report') hasData ??= await loop.hasData()
    if (job.kind === 'report' && !hasData) continue
    if (await start(loop, job)) begun++
  }
  return begun
}

/** Leases a job and has it run, where it still is due. */
async function start(loop: Loop, job: Job): Promise<boolean> {
  const lease = await loop.store.lease(job)
  if (lease === undefined) return false
  const { nextRunAt, due } = stateOf(job, lease.record, loop.since!)
  if (nextRunAt === null || due === null || nextRunAt > lease.now) {
    await lease.release()
    return false
  }
  try {
    await lease.begin(due)
  } catch (error) {
    await lease.release()
    throw error
  }
  const { running } = loop
  const free = () => {
    const own = running.get(job.name)
    if (own) running.set(job.name, { ...own, isFree: true })
    void loop.wake()
  }
  const nextOf = (record: JobState['record']) => stateOf(job, record, loop.since!).nextRunAt
  const ended = runJob(loop, { job, lease, due, free, nextOf }).then((outcome) => {
    if (outcome === 'failed') loop.hasFailed = true
    running.delete(job.name)
    void loop.wake()
  })
  running.set(job.name, { job, due, ended, isFree: false })
  return true
}

function save({ save: tell, running, states, signal }: Loop): void {
  tell?.(running.size > 0 ? 'running' : signal.aborted ? 'stopped' : 'waiting', states)
}

/** Waits for what runs when the process is stopped, but not for ever. */
async function ending(loop: Loop): Promise<void> {
  const { running, effects } = loop
  effects.log.info('stopping', { running: [...running.keys()] })
  const waiting = new AbortController()
  const ended = Promise.all([...running.values()].map((run) => run.ended))
    .then(() => refresh(loop))
    .catch(() => undefined)
  await Promise.race([ended, effects.sleep(ENDING_MS, waiting.signal).catch(() => undefined)])
  waiting.abort()
  save(loop)
}
