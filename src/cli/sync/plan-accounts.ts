import { stringifyJson } from '../../contract/json.ts'
import { FaultlineError } from '../../errors.ts'
import { localTime } from '../../render/format.ts'
import { type Preview, previewSync } from '../../sync/preview.ts'
import type { Slice } from '../../sync/slice.ts'
import type { Context } from '../context.ts'
import { textTable } from '../text-table.ts'
import type { OpenAccounts } from './run-accounts.ts'

type Plan = { readonly name: string | null } & (
  | { readonly plan: Preview }
  | { readonly error: FaultlineError }
)

/** @throws the account's error if there is only one account, without a name */
export async function planAccounts(
  { console }: Context,
  { accounts, common }: OpenAccounts,
  { json, timezone }: { readonly json?: boolean | undefined; readonly timezone: string },
): Promise<number> {
  const plans: Plan[] = []
  for (const { name, connect, ...account } of accounts) {
    try {
      const plan = await previewSync({ ...common, ...account, client: connect(), accountName: name })
      plans.push({ name, plan })
    } catch (error) {
      if (name === null || !(error instanceof FaultlineError)) throw error
      plans.push({ name, error })
    }
  }
  const [first] = plans
  const only = first?.name === null && 'plan' in first ? first.plan : undefined
  if (json) console.out(stringifyJson(only ?? { accounts: plans.map(planJson) }))
  else if (only) console.out(planText(only, timezone))
  else console.out(plans.map((plan) => `${plan.name}:\n${textOf(plan, timezone)}`).join('\n\n'))
  return plans.every((one) => 'plan' in one) ? 0 : 1
}

function planJson(one: Plan): object {
  if ('plan' in one) return { name: one.name, ...one.plan }
  return { name: one.name, error: { message: one.error.message, next: one.error.next } }
}

function textOf(one: Plan, timezone: string): string {
  if ('plan' in one) return planText(one.plan, timezone)
  return `Cannot be planned: ${one.error.message}\n  ${one.error.next ?? ''}`
}

/** Lists what a sync would read, and why. Time windows are in local time. */
export function planText(preview: Preview, timezone: string): string {
  if (preview.slices.length === 0) return 'Nothing to sync.'
  const rows = preview.slices.map((slice) => [
    slice.resource,
    slice.reason,
    whatOf(slice, timezone),
    `${slice.reason === 'backfill' ? '~' : ''}${slice.requests}`,
  ])
  const lines = textTable(
    [['resource', 'reason', `what, in ${timezone}`, 'requests'], ...rows],
    [false, false, false, true],
  )
  if (preview.following.length > 0) {
    lines.push(
      '',
      `Also reads the records that the resources above refer to: ${preview.following.join(', ')}, about ${preview.followingRequests} requests.`,
    )
  }
  const about = preview.slices.some((slice) => slice.reason === 'backfill') ? 'about ' : ''
  lines.push(
    '',
    `${preview.slices.length} windows, ${about}${preview.requests.toLocaleString('en')} requests, ` +
      `at least ${Math.ceil(preview.seconds)} s at the quota. Nothing was written.`,
  )
  return lines.join('\n')
}

function whatOf(slice: Slice, timezone: string): string {
  const day = (seconds: number) =>
    localTime(new Date(seconds * 1_000), timezone)
      .slice(0, 16)
      .replace('T', ' ')
  const window = slice.window ? `${day(slice.window.start)} to ${day(slice.window.end)}` : ''
  const ids = slice.ids ? `${slice.ids.length} ids` : ''
  const resumed = slice.cursor === null ? '' : 'resumed'
  return [window, ids, resumed].filter((part) => part !== '').join(', ') || 'everything'
}
