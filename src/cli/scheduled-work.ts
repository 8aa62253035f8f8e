import { loadConfig } from '../config.ts'
import { writeIndex } from '../delivery/keep-page.ts'
import { prune } from '../delivery/prune.ts'
import type { Effects } from '../effects.ts'
import { FaultlineError } from '../errors.ts'
import type { ReportResult } from '../render/result.ts'
import type { Job } from '../schedule/job.ts'
import type { RunResult } from '../schedule/run-schedule.ts'
import type { SyncResult } from '../sync/sync.ts'
import type { Context } from './context.ts'
import { deliverAll, readTargets } from './deliver.ts'
import { logConsole } from './log-console.ts'
import { reportCommand } from './report.ts'
import { syncCommand } from './sync.ts'

/**
 * Does the work of a job: what `faultline sync` and `faultline report NAME --deliver` do, with the configuration as it is
 * now. What they say goes to the log.
 * @throws the signal's reason when it is aborted
 */
export async function work(context: Context, job: Job, effects: Effects): Promise<RunResult> {
  const console = logConsole(effects.log, job.name, effects)
  const own: Context = { ...context, signal: context.signal, console }
  try {
    const result = job.kind === 'sync' ? await syncWork(own) : await reportWork(own, job.subject!)
    return {
      ...result,
      error: result.error ?? (result.outcome === 'ok' ? null : console.errors.join('; ') || null),
    }
  } catch (error) {
    context.signal.throwIfAborted()
    if (!(error instanceof FaultlineError)) throw error
    return { outcome: 'failed', error: `${error.message}${error.next ? ` ${error.next}` : ''}` }
  }
}

async function syncWork(context: Context): Promise<RunResult> {
  let result: SyncResult | undefined
  await syncCommand(context, [], {}, (one) => {
    result = one
  })
  if (!result) return { outcome: 'failed', error: 'the sync came to nothing' }
  const failures = result.failures.map(({ resource, message }) => `${resource}: ${message}`)
  if (result.quarantined > 0)
    failures.push(`${result.quarantined} records did not fit, see \`faultline status\``)
  return {
    outcome: result.published ? result.status : 'failed',
    error: failures.length > 0 ? failures.join('; ') : null,
  }
}

/** A report that was made and did not arrive is not made again: its delivery was tried for a while already. */
async function reportWork(context: Context, name: string): Promise<RunResult> {
  const config = loadConfig(context.overrides)
  const targets = readTargets(context, config)
  const made: ReportResult[] = []
  const status = await reportCommand(context, [name], {}, (result) => made.push(result))
  if (made.length === 0) return { outcome: 'failed', error: null }
  const failures = await deliverAll(context, made, { targets, out: config.out })
  return {
    outcome: status === 0 && failures.length === 0 ? 'ok' : 'partial',
    error: failures.length > 0 ? failures.join('; ') : null,
  }
}

/** Removes outputs that are no longer kept, and takes them off the index. A failure is said, and is no reason to stop. */
export function tidy(context: Context, effects: Effects): void {
  const { schedule, out } = loadConfig(context.overrides)
  try {
    const removed = prune(out, schedule.retention, effects.now())
    if (removed.length === 0) return
    effects.log.info('old outputs removed', { removed })
    if (removed.some((path) => path.endsWith('.html'))) writeIndex(out, effects.now())
  } catch (error) {
    effects.log.warn('old outputs could not be removed', { error: (error as Error).message })
  }
}
