import { createHash } from 'node:crypto'
import type { Targets } from '../config/delivery-targets.ts'
import type { Effects } from '../effects.ts'
import type { Deliveries } from '../warehouse/published.ts'

/** Report and period of a message. The subject and the target identify the message. */
export interface Subject {
  readonly report: string
  /** Parameters of the report, such as a team. Empty if there are none. */
  readonly parameters: string
  /** Period of a scheduled report: `2026-01-01..2026-02-01`. For a manual report: `data of` and the data's time. */
  readonly period: string
  /** Whether the data covers the complete period. */
  readonly isComplete: boolean
  /** Due time (ISO, UTC) of a scheduled report. For a manual report, the same as `period`. */
  readonly due: string
}

/**
 * Returns the key of a message, which is also the message id, so that receivers can detect a repeated message. The key
 * is a hash, because the address of a target may be a secret.
 */
export function keyOf({ report, parameters, period, isComplete }: Subject, target: string): string {
  const parts = [report, parameters, period, isComplete ? 'complete' : 'incomplete', target]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}

export interface Sent {
  readonly targets: Targets
  readonly subject: Omit<Subject, 'report'>
  /** Stores the keys (`keyOf`) of delivered messages. */
  readonly ledger: Deliveries
  /** Sends the report again with a new id, even if it was sent before. */
  readonly again?: boolean
  readonly effects: Pick<Effects, 'log'>
}

/** A message to a mail recipient, to the webhook, or to the report folder if the report has no other target. */
export interface Message {
  readonly channel: 'folder' | 'mail' | 'webhook'
  readonly to: string
  readonly key: string
  /** Time it was sent (ISO), or null if pending. */
  readonly sentAt: string | null
}

export async function messagesOf(report: string, sent: Sent): Promise<Message[]> {
  const known = sent.again ? new Map<string, string>() : await sentBefore(report, sent)
  return messagesBy(known, report, sent)
}

/** @param known times of earlier deliveries, by message key */
export function messagesBy(
  known: ReadonlyMap<string, string>,
  report: string,
  { targets: { mail, webhook }, subject }: Pick<Sent, 'targets' | 'subject'>,
): Message[] {
  const sendable = [
    ...(mail?.recipients(report) ?? []).map((to) => ({ channel: 'mail' as const, to, target: `mail ${to}` })),
    ...(webhook?.wants(report)
      ? [{ channel: 'webhook' as const, to: 'the webhook', target: `webhook ${webhook.url.href}` }]
      : []),
  ]
  const all =
    sendable.length > 0 ? sendable : [{ channel: 'folder' as const, to: 'the folder', target: 'folder' }]
  return all.map(({ channel, to, target }) => {
    const key = keyOf({ report, ...subject }, target)
    return { channel, to, key, sentAt: known.get(key) ?? null }
  })
}

/** Returns times of earlier deliveries by key. Empty if unreadable, because a duplicate is better than no report. */
export async function sentBefore(
  report: string,
  { ledger, effects: { log } }: Pick<Sent, 'ledger' | 'effects'>,
): Promise<ReadonlyMap<string, string>> {
  return ledger.sent(report).catch((error: Error) => {
    log.warn('earlier deliveries cannot be read', { report, error: error.message })
    return new Map<string, string>()
  })
}

/** Records messages that the target accepted. Only logs a failure, because the messages were already sent. */
export async function recordSent(
  keys: readonly string[],
  report: string,
  { ledger, subject, effects }: Sent,
): Promise<void> {
  try {
    for (const key of keys) await ledger.note({ key, report, due: subject.due })
  } catch (error) {
    effects.log.warn('sent, but not recorded: the message may be sent again', {
      report,
      error: (error as Error).message,
    })
  }
}
