import { cleanForTerminal } from '../../render/sanitize-text.ts'
import type { RunSummary } from '../../sync/run-sync.ts'
import type { AccountsResult, SyncResult } from '../../sync/sync-accounts.ts'
import { instant } from '../text-table.ts'

export function syncText(result: SyncResult, path: string, timezone?: string): string {
  const { published, asOf } = result
  const at = asOf === null ? '' : `, as of ${instant(new Date(asOf * 1_000), timezone)}`
  const outcome = published
    ? `Warehouse: ${path}${at}`
    : `${path} was not replaced, because the sync is incomplete. Stored data is kept. The next sync continues from there.`
  return [...summaryLines(result), outcome].join('\n')
}

const HEADLINES = { ok: 'Synced', partial: 'Partly synced', failed: 'Incomplete sync' } as const

function summaryLines(result: RunSummary): string[] {
  const count = (value: number) => value.toLocaleString('en')
  const { status, vanished, throttled, quarantined, stillWaiting, failures } = result
  const facts = [
    `${HEADLINES[status]}: ${count(result.read)} rows read, ${count(result.inserted)} new, ${count(result.replaced)} changed`,
    ...(vanished > 0 ? [`${count(vanished)} vanished`] : []),
  ].join(', ')
  const took = [
    `${count(result.requests)} requests in ${result.seconds.toFixed(1)} s`,
    ...(throttled > 0 ? [`${throttled} × 429`] : []),
  ].join(', ')
  const records = stillWaiting === 1 ? 'record is' : 'records are'
  const see = 'see `faultline quarantine`.'
  return [
    `${facts} (${took}).`,
    ...(quarantined > 0 ? [`${count(quarantined)} records were quarantined: ${see}`] : []),
    ...(stillWaiting > 0
      ? [`${count(stillWaiting)} ${records} still quarantined from earlier runs: ${see}`]
      : []),
    ...failures.flatMap((failure) => errorLines(`${failure.resource}: `, failure)),
  ]
}

function errorLines(prefix: string, { message, next }: { message: string; next?: string | undefined }) {
  return [`${prefix}${cleanForTerminal(message)}`, ...(next ? [`  ${next}`] : [])]
}

export function accountsText({ outcomes, published }: AccountsResult, path: string): string {
  const lines = outcomes.flatMap((one) => {
    const own = 'summary' in one ? summaryLines(one.summary) : errorLines('Not synced: ', one.error)
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

export function accountsJson({ outcomes, published }: AccountsResult): object {
  const accounts = outcomes.map((one) =>
    'summary' in one
      ? { name: one.name, accountId: one.accountId, ...one.summary, published: one.published }
      : { name: one.name, error: { message: one.error.message, next: one.error.next } },
  )
  return { accounts, published }
}
