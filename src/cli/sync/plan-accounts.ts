import type { Client } from '../../client/client.ts'
import { stringifyJson } from '../../contract/json.ts'
import { FaultlineError } from '../../errors.ts'
import { localTime } from '../../render/format.ts'
import type { Preview, PreviewOptions } from '../../sync/preview.ts'
import type { SyncedAccount } from '../../sync/read-account.ts'
import type { Slice } from '../../sync/slice.ts'
import type { Context } from '../context.ts'
import { textTable } from '../text-table.ts'

interface Planned extends SyncedAccount {
  readonly quota: number
  connect(): Client
}

/**
 * Runs `faultline sync --plan` and returns the exit status. @throws the account's error if it is the only account and
 * has no name
 */
export async function planAccounts(
  { console }: Context,
  accounts: readonly Planned[],
  common: Pick<PreviewOptions, 'published' | 'resources' | 'known' | 'effects' | 'signal'>,
  options: { readonly json?: boolean | undefined; readonly timezone: string },
): Promise<number> {
  const { previewSync } = await import('../../sync/preview.ts')
  const plans: { name: string | null; plan?: Preview; error?: FaultlineError }[] = []
  for (const { name, accountId, scope, quota, connect } of accounts) {
    try {
      const client = connect()
      const plan = await previewSync({ ...common, client, accountId, accountName: name, scope, quota })
      plans.push({ name, plan })
    } catch (error) {
      if (name === null || !(error instanceof FaultlineError)) throw error
      plans.push({ name, error })
    }
  }
  const [first] = plans
  const isAlone = first?.name === null
  if (options.json) {
    const all = plans.map(({ name, plan, error }) => ({
      name,
      ...plan,
      ...(error ? { error: errorJson(error) } : {}),
    }))
    console.out(stringifyJson(isAlone ? first.plan : { accounts: all }))
  } else {
    console.out(
      plans
        .map(({ name, plan, error }) => {
          const text = plan
            ? planText(plan, options.timezone)
            : `Cannot be planned: ${error!.message}\n  ${error!.next ?? ''}`
          return isAlone ? text : `${name}:\n${text}`
        })
        .join('\n\n'),
    )
  }
  return plans.every(({ plan }) => plan) ? 0 : 1
}

const errorJson = ({ message, next }: FaultlineError) => ({ message, next })

/** Describes the reads of a sync and their reasons, with windows in local time. */
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
