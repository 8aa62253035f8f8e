import { type Config, chooseAccounts, loadConfig } from '../../config/config.ts'
import { stringifyJson } from '../../contract/json.ts'
import type { AccountsResult } from '../../sync/sync-accounts.ts'
import type { Context } from '../context.ts'
import { zoneOf } from '../option-dates.ts'
import { parseCountOption } from '../parse-count-option.ts'
import { planAccounts } from './plan-accounts.ts'
import { openAccounts, runAccounts, type SyncRequest } from './run-accounts.ts'
import { accountsJson, accountsText, syncText } from './sync-text.ts'

interface SyncOptions {
  readonly account?: string | undefined
  readonly jobs?: string | undefined
  readonly plan?: boolean | undefined
  readonly json?: boolean | undefined
}

/** Syncs the accounts, or with `plan` only previews the sync. @returns the exit status */
export async function syncOrPlan(
  context: Context,
  wanted: Omit<SyncRequest, 'jobs'>,
  { account, jobs, plan, json }: SyncOptions,
): Promise<number> {
  const config = loadConfig(context.overrides)
  const accounts = chooseAccounts(config, account)
  const request = { ...wanted, jobs: parseCountOption('--jobs', jobs) }
  if (plan) {
    const { accounts: planned, common, close } = await openAccounts(context, config, accounts, request)
    return planAccounts(context, planned, common, { json, timezone: zoneOf(config) }).finally(close)
  }
  const result = await runAccounts(context, config, accounts, request)
  context.console.clearProgress()
  return printResult(context, result, config, json)
}

/**
 * Prints the result of a sync and returns the exit status. @throws the account's error if it is the only account and
 * has no name
 */
function printResult({ console }: Context, result: AccountsResult, config: Config, json = false): number {
  const path = String(config.warehouse)
  const { outcomes, published } = result
  const [first] = outcomes
  if (first && first.name === null) {
    if ('error' in first) throw first.error
    const only = { ...first.summary, published }
    console.out(json ? JSON.stringify(only) : syncText(only, path, config.timezone))
  } else {
    console.out(json ? stringifyJson(accountsJson(result)) : accountsText(result, path))
  }
  return outcomes.every((one) => 'summary' in one && one.summary.status === 'ok') ? 0 : 1
}
