import type { Account } from '../../config/accounts-section.ts'
import { type Config, chooseAccounts, loadConfig } from '../../config/config.ts'
import type { Effects } from '../../effects.ts'
import { FaultlineError, MachineError, sentencesOf } from '../../errors.ts'
import type { RunResult } from '../../schedule/job-store.ts'
import { isDone } from '../../schedule/job-store.ts'
import type { Job } from '../../schedule/jobs.ts'
import type { RunFor } from '../../schedule/run-job.ts'
import { writeIndex } from '../../site/history.ts'
import { prune } from '../../site/prune.ts'
import type { AccountOutcome } from '../../sync/sync-accounts.ts'
import type { Context } from '../context.ts'
import { deliverAll, type ReportToDeliver, readTargets, subjectByHand } from '../deliver-reports.ts'
import { dueReports } from '../report/due-reports.ts'
import { makePages, withReports } from '../report/make-pages.ts'
import { makeDueReports, makeReports } from '../report/make-reports.ts'
import { runAccounts } from '../sync/run-accounts.ts'
import { logConsole } from './log-console.ts'

/** A sync without progress is aborted after this time. Publishing a very large file takes minutes without progress. */
const SYNC_IDLE_MS = 30 * 60_000

interface WorkResult extends RunResult {
  readonly accountId?: bigint | undefined
}

/** Reloads the configuration, runs the job and logs the output. @throws the signal's reason if aborted */
export async function runJobHandler(
  context: Context,
  job: Job,
  effects: Effects,
  what: RunFor,
): Promise<WorkResult> {
  const console = logConsole(effects, job.name)
  const own: Context = { ...context, console }
  try {
    const result = job.kind === 'sync' ? await syncWork(own, job) : await reportWork(own, job, effects, what)
    const printed = result.outcome === 'ok' ? null : console.errors.join('; ') || null
    return { ...result, error: result.error ?? printed }
  } catch (error) {
    context.signal.throwIfAborted()
    if (!(error instanceof FaultlineError)) throw error
    return { outcome: 'failed', error: sentencesOf(error) }
  }
}

async function syncWork(context: Context, job: Job): Promise<WorkResult> {
  const config = loadConfig(context.overrides)
  const limits = { signal: context.signal, idleMs: SYNC_IDLE_MS }
  const { outcomes } = await withProgress(limits, (signal, tell) => {
    const progress = (line: string) => {
      tell(line)
      context.console.progress(line)
    }
    const own = { ...context, signal, console: { ...context.console, progress } }
    return runAccounts(own, config, accountsOf(config, job))
  })
  const results = outcomes.map(resultOf)
  const is = (wanted: 'failed' | 'partial') => results.some(({ outcome }) => outcome === wanted)
  const errors = results.flatMap(({ error }) => error ?? [])
  const [only, ...others] = outcomes
  return {
    outcome: is('failed') ? 'failed' : is('partial') ? 'partial' : 'ok',
    error: errors.join('; ') || null,
    accountId: only && 'accountId' in only && others.length === 0 ? only.accountId : undefined,
  }
}

/** Returns the accounts that a job syncs. A job without a subject syncs the accounts without their own schedule. */
function accountsOf(config: Config, { subject }: Job): readonly Account[] {
  if (subject !== undefined) return chooseAccounts(config, subject)
  const together = accountsWithoutSchedule(config)
  return together.length === 0 ? config.accounts : together
}

export function accountsWithoutSchedule({ accounts }: Config): Account[] {
  return accounts.filter(({ name, schedule }) => schedule === undefined && name !== undefined)
}

function resultOf(one: AccountOutcome): RunResult {
  const whose = one.name === null ? '' : `${one.name}: `
  if ('error' in one) return { outcome: 'failed', error: `${whose}${sentencesOf(one.error)}` }
  const { failures, quarantined, complete, status } = one.summary
  const messages = failures.map(({ resource, message }) => `${whose}${resource}: ${message}`)
  if (quarantined > 0)
    messages.push(`${whose}${quarantined} records were quarantined, see \`faultline quarantine\``)
  return { outcome: complete ? status : 'failed', error: messages.join('; ') || null }
}

const DELIVERY_WAITS_MS = [2_000, 10_000]

/** Makes a report for each undelivered due time. A first run before the due time only writes to the output folder. */
async function reportWork(
  context: Context,
  { subject }: Job,
  effects: Effects,
  { isFirst, free }: RunFor,
): Promise<RunResult> {
  const name = subject!
  const config = loadConfig(context.overrides)
  const targets = readTargets(context, config)
  const sending = { warehouse: config.warehouse, out: config.out, waits: DELIVERY_WAITS_MS }
  const { made, status, waiting } = isFirst
    ? await makeFirst(context, name)
    : await withReports(context, [name], {}, async (run) => {
        const request = { targets, parameters: '', effects, isScheduled: true }
        const found = await dueReports(context, run.config, run.reader, run.reports, request)
        const broken = run.reports.filter(({ problem }) => problem)
        if (broken.length > 0) return { made: [], waiting: [], status: await makePages(run, () => {}) }
        return { ...(await makeDueReports(run, found.due)), waiting: found.waiting }
      })
  if (made.length === 0 && status !== 0) return { outcome: 'failed', error: null }
  const tripped = made.flatMap(({ result }) => result.gates.filter(({ state }) => state === 'error'))
  free()
  const undelivered = await deliverAll(context, made, {
    ...sending,
    targets: isFirst ? { ...targets, mail: undefined, webhook: undefined } : targets,
  })
  const errors = [...tripped, ...undelivered].map(({ message }) => message)
  const outcome = reportOutcome(status === 0 && errors.length === 0, undelivered)
  if (isDone(outcome) && waiting.length > 0) return { outcome: 'waiting', error: waiting.join(' ') }
  return { outcome, error: errors.join('; ') || null }
}

async function makeFirst(context: Context, name: string) {
  const made: ReportToDeliver[] = []
  const status = await makeReports(context, [name], {}, (report) =>
    made.push({ ...report, subject: subjectByHand(report, '') }),
  )
  return { made, status, waiting: [] }
}

/** Returns the outcome of a report. Only the outcome `undelivered` leads to a retry. */
export function reportOutcome(
  isWell: boolean,
  undelivered: readonly { readonly isTransient: boolean }[],
): RunResult['outcome'] {
  if (undelivered.some(({ isTransient }) => isTransient)) return 'undelivered'
  if (undelivered.length > 0) return 'refused'
  return isWell ? 'ok' : 'partial'
}

/** Removes old pages and exports, and updates the index. If that fails, only logs a warning. */
export function pruneOutputs(context: Context, effects: Effects): void {
  try {
    const { schedule, out } = loadConfig(context.overrides)
    const removed = prune(out, schedule.retention, effects.now())
    if (removed.length === 0) return
    effects.log.info('old outputs removed', { removed })
    if (removed.some((path) => path.endsWith('.html'))) writeIndex(out, effects.now())
  } catch (error) {
    effects.log.warn('old outputs could not be removed', { error: (error as Error).message })
  }
}

const GRACE_MS = 60_000

/** Aborts `act` after `idleMs` without a new progress line. @throws MachineError if aborted for this reason */
export async function withProgress<Result>(
  { signal, idleMs, graceMs = GRACE_MS }: { signal: AbortSignal; idleMs: number; graceMs?: number },
  act: (signal: AbortSignal, tell: (line: string) => void) => Promise<Result>,
): Promise<Result> {
  const idle = new AbortController()
  let last: string | undefined
  let giveUp: NodeJS.Timeout | undefined
  let timer: NodeJS.Timeout | undefined
  const stalled = new Promise<never>((_, reject) => {
    const end = () => {
      const error = new MachineError(`Aborted after ${idleMs / 60_000} min without progress.`, {
        next: 'Stored data is kept. Check the service, the disk and the preceding log entries.',
      })
      idle.abort(error)
      giveUp = setTimeout(() => reject(error), graceMs)
    }
    timer = setTimeout(end, idleMs)
  })
  const tell = (line: string) => {
    if (line !== last) timer?.refresh()
    last = line
  }
  try {
    return await Promise.race([act(AbortSignal.any([signal, idle.signal]), tell), stalled])
  } finally {
    clearTimeout(timer)
    clearTimeout(giveUp)
  }
}
