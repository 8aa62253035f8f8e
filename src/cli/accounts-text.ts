import { cleanForTerminal } from '../render/clean.ts'
import type { AccountsResult } from '../sync/sync.ts'
import { summaryLines } from './sync-text.ts'

/** What a sync of several accounts did, for people. */
export function accountsText({ outcomes, published }: AccountsResult, path: string): string {
  const lines = outcomes.flatMap((one) => {
    const told =
      'summary' in one
        ? summaryLines(one.summary)
        : [
            `Not synced: ${cleanForTerminal(one.error.message)}`,
            ...(one.error.next ? [`  ${one.error.next}`] : []),
          ]
    return [`${one.name}:`, ...told.map((line) => `  ${line}`)]
  })
  const heldBack = outcomes.flatMap((one) => ('summary' in one && !one.summary.whole ? [one.name] : []))
  const last = published
    ? `Warehouse: ${path}`
    : `${path} was not replaced, because no account could be read whole. What was read is kept; the next sync goes on from there.`
  if (published && heldBack.length > 0) {
    lines.push(
      `Of ${heldBack.join(', ')} readers keep what they had; the next sync goes on where this one ended.`,
    )
  }
  return [...lines, last].join('\n')
}

/** The same for programs. */
export function accountsJson({ outcomes, published }: AccountsResult): object {
  const accounts = outcomes.map((one) =>
    'summary' in one
      ? { name: one.name, accountId: one.accountId, ...one.summary }
      : { name: one.name, error: { message: one.error.message, next: one.error.next } },
  )
  return { accounts, published }
}
