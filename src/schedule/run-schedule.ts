import nodeCron from 'node-cron'
import type { Effects, Log } from '../effects.ts'
import { WarehouseError } from '../errors.ts'
import type { Cron } from '../settings/cron.ts'
import {
  hasPlace,
  isBegun,
  type JobState,
  type Places,
  type Running,
  type Since,
  startable,
  stateOf,
} from './due.ts'
import type { JobStore, KnownJobs, RunResult } from './job-store.ts'
import type { Job } from './jobs.ts'
import { type RunFor, runJob } from './run-job.ts'

/** Maximum time to wait for running jobs after a stop request. */
const ENDING_MS = 20_000

export interface ScheduleOptions {
  readonly jobs: readonly Job[]
  readonly store: JobStore
  /** Maximum number of parallel syncs (default: 1). */
  readonly syncs?: number | undefined
  /** Whether to run jobs that were due while no process ran. */
  readonly catchUp: boolean
  /** Whether to end when this process has no due job left to run. Otherwise, it runs until the signal aborts. */
  readonly isOnce?: boolean
  readonly effects: Pick<Effects, 'now' | 'sleep' | 'log'>
  readonly signal: AbortSignal
  /** Whether the warehouse has data. Reports wait until it has. */
  hasData(): boolean | Promise<boolean>
  /** Executes a job. Must end soon after the signal aborts. An error counts as a failed run. */
  run(job: Job, signal: AbortSignal, what: RunFor): Promise<RunResult>
  /** Receives the states of all jobs after each check. */
  save?(state: 'waiting' | 'running' | 'stopped', jobs: readonly JobState[]): void
}

export interface ScheduleEnd {
  /** Whether all running jobs ended in time. */
  readonly isTidy: boolean
  readonly hasFailed: boolean
}

interface Loop extends ScheduleOptions {
  readonly places: Places
  readonly running: Map<string, OwnRun>
  readonly say: ReturnType<typeof saying>
  /** Times by the clock of the store. Undefined before the first check. */
  since: Since | undefined
  states: readonly JobState[]
  hasFailed: boolean
  /** Triggers the next check immediately, and resolves after it. */
  wake(): Promise<void>
}

interface OwnRun extends Running {
  readonly ended: Promise<void>
}

/**
 * Runs due jobs, at most `syncs` syncs and one report in parallel. Waits for running jobs after the signal aborts.
 * Checks for due jobs once a minute, when node-cron fires, and when a job ends. The regular checks find jobs that
 * node-cron missed, for example while the machine was suspended.
 * @throws WarehouseError if the store is unreachable and `isOnce` is set
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
    loop.say('warn', { message: `${store.name} is not available`, facts: { error: message, next } })
  }
  save(loop)
  return begun
}

async function refresh(loop: Loop): Promise<KnownJobs> {
  const known = await loop.store.read()
  const { now } = known
  const { notBefore, restartedAt } = loop.since ?? {
    notBefore: loop.catchUp || loop.isOnce ? 0 : now,
    // With `isOnce`, cron starts the process repeatedly, so a start does not mean that somebody fixed an error.
    restartedAt: loop.isOnce ? 0 : now,
  }
  // `Math.min` has an effect only if the clock was set back.
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

async function start(loop: Loop, job: Job): Promise<boolean> {
  const lease = await loop.store.lease(job)
  if (lease === undefined) return false
  const { nextRunAt, due } = stateOf(job, lease.record, loop.since!)
  if (nextRunAt === null || due === null || nextRunAt > lease.now) {
    // Otherwise, a job whose process died would look like a running job until its next due time.
    if (lease.record.outcome === 'interrupted') await lease.end(lease.record)
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

/** node-cron skips a due time while the previous call is running, or if the process is busy. */
function startCronTrigger(
  cron: Cron,
  name: string,
  run: () => Promise<void> | undefined,
  log: Log,
): () => void {
  const logger = {
    debug: (message: string | Error) => log.debug(String(message), { job: name }),
    info: (message: string) => log.info(message, { job: name }),
    warn: (message: string) => log.warn(message, { job: name }),
    error: (message: string | Error) => log.warn(String(message), { job: name }),
  }
  const { timezone } = cron
  const options = { name, timezone, noOverlap: true, suppressMissedWarning: true, logger }
  const tasks = cron.expressions.map((expression) => nodeCron.schedule(expression, run, options))
  return () => {
    for (const task of tasks) task.destroy()
  }
}

interface Said {
  readonly message: string
  readonly facts: Record<string, unknown>
}

/** Returns a logger that skips a repeated message, because each of the frequent checks for due jobs logs one. */
function saying(log: Log) {
  let last = ''
  return (level: 'info' | 'warn', said: Said) => {
    const text = JSON.stringify(said)
    if (text !== last) log[level](said.message, said.facts)
    last = text
  }
}

function idleNote(states: readonly JobState[], { now, holders }: KnownJobs): Said {
  const nextOf = ({ nextRunAt, record }: JobState) => (isBegun(record) ? record.startedAt : nextRunAt)
  const times = states.filter((state) => nextOf(state) !== null)
  const busy = times.filter((state) => nextOf(state)! <= now)
  if (busy.length > 0) {
    const held = busy.map(({ job: { name } }) => [name, holders.get(name) ?? null])
    const message =
      holders.size > 0 ? 'other processes run the due jobs' : 'due jobs are waiting for a free slot'
    return { message, facts: { jobs: Object.fromEntries(held) } }
  }
  const [next] = times.sort((a, b) => nextOf(a)! - nextOf(b)!)
  if (next === undefined) return { message: 'nothing is ever due', facts: {} }
  const until = `${new Date(nextOf(next)!).toISOString().slice(0, 16)}Z`
  return { message: `nothing is due until ${until}`, facts: { job: next.job.name } }
}
