import { chooseAccounts, loadConfig } from '../../config/config.ts'
import { ConfigError } from '../../errors.ts'
import { workerHealthFileOf } from '../../schedule/health.ts'
import { accountJobs } from '../../schedule/jobs.ts'
import { resolveStorage } from '../../sdk/resolve-storage.ts'
import type { Flags, Texts } from '../command.ts'
import type { Context } from '../context.ts'
import { parseCountOption } from '../parse-count-option.ts'
import { createLongRunningContext } from './long-running-context.ts'
import { type MonitorOptions, monitored, printState } from './monitoring.ts'
import { runJobs } from './run-jobs.ts'

type WorkOptions = MonitorOptions & Texts<'account' | 'jobs'> & Flags<'once'>

export async function work(base: Context, options: WorkOptions): Promise<number> {
  const { once: isOnce = false, account, jobs } = options
  const config = loadConfig(base.overrides)
  const healthFile = workerHealthFileOf(config)
  const state = printState(base, healthFile, options)
  if (state !== undefined) return state
  const published = await resolveStorage(config.warehouse)
  if (published.jobs === undefined)
    throw new ConfigError('`lake work` requires a lake, but the warehouse is a file.', {
      next: 'Use `faultline start` for a file. src/lake/README.md describes the move to a lake.',
    })
  const accounts = chooseAccounts(config, account)
  const { context, effects, secrets } = createLongRunningContext(base, accounts)
  const { save, close } = await monitored(config, options, { effects, secrets, healthFile })
  const { isTidy, hasFailed } = await runJobs(context, config, accountJobs(config, accounts), {
    ...{ effects, published, save, isOnce },
    syncs: parseCountOption('--jobs', jobs),
  }).finally(close)
  // Unfinished work cannot be interrupted and would keep the process alive.
  if (!isTidy) process.exit(1)
  if (!isOnce) return 0
  context.signal.throwIfAborted()
  return hasFailed ? 1 : 0
}
