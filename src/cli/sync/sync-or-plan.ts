import { type Config, chooseAccounts, loadConfig } from '../../config/config.ts'
import { stringifyJson } from '../../contract/json.ts'
import type { AccountsResult } from '../../sync/sync-accounts.ts'
import type { Flags, Texts } from '../command.ts'
import type { Context } from '../context.ts'
import { parseCountOption } from '../parse-count-option.ts'
import { planAccounts } from './plan-accounts.ts'
import { openAccounts, runAccounts, type SyncChoices } from './run-accounts.ts'
import { accountsJson, accountsText, syncText } from './sync-text.ts'

type SyncOptions = SyncChoices & Texts<'account' | 'jobs'> & Flags<'plan' | 'json'>

export async function syncOrPlan(
  context: Context,
  resources: readonly string[],
  { account, jobs, plan, json, ...choices }: SyncOptions,
): Promise<number> {
  const config = loadConfig(context.overrides)
  const accounts = chooseAccounts(config, account)
  const request = { ...choices, resources, jobs: parseCountOption('--jobs', jobs) }
  if (plan) {
    const opened = await openAccounts(context, config, accounts, request)
    return planAccounts(context, opened, { json, timezone: config.timezone ?? 'UTC' }).finally(opened.close)
  }
  const result = await runAccounts(context, config, accounts, request)
  context.console.clearProgress()
  return printResult(context, result, config, json)
}

/** @throws the account's error if there is only one account, without a name */
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
