import { chooseAccounts, loadConfig } from '../../config/config.ts'
import { stringifyJson } from '../../contract/json.ts'
import type { AccountsResult } from '../../sync/sync-accounts.ts'
import type { Context } from '../context.ts'
import { countOf } from '../count-of.ts'
import { zoneOf } from '../day-of.ts'
import { planAccounts } from './plan.ts'
import { openAccounts, runAccounts } from './run-accounts.ts'
import { accountsJson, accountsText, syncText } from './text.ts'

interface SyncFlags {
  /** Names or ids, separated by commas. */
  readonly account?: string
  readonly jobs?: string
  readonly plan?: boolean
  readonly full?: boolean
  readonly acceptVanished?: boolean
  readonly acceptUnproven?: boolean
  readonly since?: string
  readonly until?: string
  readonly json?: boolean
}

/** `faultline sync`: a sync of each account, side by side, or with --plan only what it would do. Returns the exit status. */
export async function syncCommand(
  context: Context,
  names: readonly string[],
  flags: SyncFlags,
): Promise<number> {
  const config = loadConfig(context.overrides)
  const accounts = chooseAccounts(config, flags.account)
  const request = { ...flags, resources: names, jobs: countOf('--jobs', flags.jobs) }
  if (flags.plan) {
    const { accounts: planned, common, close } = openAccounts(context, config, accounts, request)
    return planAccounts(context, planned, common, { ...flags, timezone: zoneOf(config) }).finally(close)
  }
  const result = await runAccounts(context, config, accounts, request)
  context.console.clearProgress()
  return printResult(context, result, String(config.warehouse), flags)
}

/** Prints the result of a sync. @throws the error of an account that is alone. Returns the exit status. */
function printResult({ console }: Context, result: AccountsResult, path: string, flags: SyncFlags): number {
  const { outcomes, published } = result
  const [first] = outcomes
  if (first && first.name === null) {
    if ('error' in first) throw first.error
    const only = { ...first.summary, published }
    console.out(flags.json ? JSON.stringify(only) : syncText(only, path))
  } else {
    console.out(flags.json ? stringifyJson(accountsJson(result)) : accountsText(result, path))
  }
  return outcomes.every((one) => 'summary' in one && one.summary.status === 'ok') ? 0 : 1
}
