import { cleanForTerminal } from '../../render/sanitize-text.ts'
import type { RunSummary } from '../../sync/run-sync.ts'
import type { AccountsResult, SyncResult } from '../../sync/sync-accounts.ts'
import { instant } from '../text-table.ts'

const count = (value: number) => value.toLocaleString('en')

export function syncText(result: SyncResult, path: string, timezone?: string): string {
  const outcome = result.published
    ? `Warehouse: ${path}${asOf(result, timezone)}`
    : `${path} was not replaced, because the sync is incomplete. Stored data is kept. The next sync continues from there.`
  return [...summaryLines(result), outcome].join('\n')
}

const asOf = (result: RunSummary, timezone: string | undefined) =>
  result.asOf === null ? '' : `, as of ${instant(new Date(result.asOf * 1_000), timezone)}`

function summaryLines(result: RunSummary): string[] {
  const took = `${count(result.requests)} requests in ${result.seconds.toFixed(1)} s`
  const lines = [
    `${headline(result)}: ${count(result.read)} rows read, ${count(result.inserted)} new, ${count(result.replaced)} changed` +
      `${result.vanished > 0 ? `, ${count(result.vanished)} vanished` : ''} (${took}${result.throttled > 0 ? `, ${result.throttled} × 429` : ''}).`,
  ]
  if (result.quarantined > 0) {
    lines.push(`${count(result.quarantined)} records were quarantined: see \`faultline quarantine\`.`)
  }
  if (result.stillWaiting > 0) {
    const records = result.stillWaiting === 1 ? 'record is' : 'records are'
    lines.push(
      `${count(result.stillWaiting)} ${records} still quarantined from earlier runs: see \`faultline quarantine\`.`,
    )
  }
  for (const failure of result.failures) {
    lines.push(`${failure.resource}: ${cleanForTerminal(failure.message)}`)
    if (failure.next) lines.push(`  ${failure.next}`)
  }
  return lines
}

function headline({ status }: RunSummary): string {
  if (status === 'ok') return 'Synced'
  return status === 'partial' ? 'Partly synced' : 'Incomplete sync'
}

export function accountsText({ outcomes, published }: AccountsResult, path: string): string {
  const lines = outcomes.flatMap((one) => {
    const own =
      'summary' in one
        ? summaryLines(one.summary)
        : [
            `Not synced: ${cleanForTerminal(one.error.message)}`,
            ...(one.error.next ? [`  ${one.error.next}`] : []),
          ]
    return [`${one.name}:`, ...own.map((line) => `  ${line}`)]
  })
  const partly = outcomes.flatMap((one) => ('summary' in one && !one.published ? [one.name] : []))
  if (partly.length > 0) {
    lines.push(
      `Readers keep the last published data of ${partly.join(', ')}. The next sync continues where this one stopped.`,
    )
  }
  const last = published ? `Warehouse: ${path}` : `${path} was not replaced, because no account is complete.`
  return [...lines, last].join('\n')
}

/** Returns the JSON result of a sync of several accounts. */
export function accountsJson({ outcomes, published }: AccountsResult): object {
  const accounts = outcomes.map((one) =>
    'summary' in one
      ? { name: one.name, accountId: one.accountId, ...one.summary, published: one.published }
      : { name: one.name, error: { message: one.error.message, next: one.error.next } },
  )
  return { accounts, published }
}
