import { createHash } from 'node:crypto'
import type { Targets } from '../config/delivery-targets.ts'
import type { Effects } from '../effects.ts'
import type { Deliveries } from '../warehouse/deliveries.ts'

/** What a message is about: with its target, what it is known by. */
export interface Subject {
  readonly report: string
  /** The parameters that were given, such as a team; empty for none. */
  readonly parameters: string
  /** The period of a scheduled report, `2026-01-01..2026-02-01`; of one made by hand `data of` and when its data was read. */
  readonly period: string
  /** Whether the data reaches the end of the period. */
  readonly isComplete: boolean
  /** The due time, ISO in UTC; of a report made by hand the same as `period`. */
  readonly due: string
}

/**
 * Returns the key of a message to a target, by which the ledger knows it. It is also the id of the message, the same for whoever sends
 * it: a process that dies between the answer and the note sends it once more, and the receiver can tell. Nothing can be read from it,
 * as an address may be a secret.
 */
export function keyOf({ report, parameters, period, isComplete }: Subject, target: string): string {
  return hashed([report, parameters, period, isComplete ? 'complete' : 'incomplete', target])
}

/** Returns the key that earlier builds noted, by the due time. What they sent is not sent again. */
function formerKeyOf({ report, parameters, due }: Subject, target: string): string {
  return hashed([report, parameters, due, target])
}

function hashed(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}

/** To whom a report goes, what it is sent for, and what was sent before. */
export interface Sent {
  readonly targets: Targets
  readonly subject: Omit<Subject, 'report'>
  /** What was sent before. Keys are those of `keyOf`. */
  readonly ledger: Deliveries
  /** Sends it even if it was sent before, as another message. */
  readonly again?: boolean
  readonly effects: Pick<Effects, 'log'>
}

/** A message to one target: a recipient of the mail, the webhook, or the folder of reports if a report has no other target. */
export interface Message {
  readonly channel: 'folder' | 'mail' | 'webhook'
  readonly to: string
  readonly key: string
  /** When it was sent, ISO; null when it is still to be. */
  readonly sentAt: string | null
}

/** The messages of a report to everyone who wants it, and which of them were sent. */
export async function messagesOf(report: string, sent: Sent): Promise<Message[]> {
  const known = sent.again ? new Map<string, string>() : await sentBefore(report, sent)
  return messagesBy(known, report, sent)
}

/** The same by a ledger that was read. */
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
    const about = { report, ...subject }
    const key = keyOf(about, target)
    return { channel, to, key, sentAt: known.get(key) ?? known.get(formerKeyOf(about, target)) ?? null }
  })
}

/** What was sent of a report, by key. A ledger that cannot be read holds no report back: better twice, with the same id, than never. */
export async function sentBefore(
  report: string,
  { ledger, effects: { log } }: Pick<Sent, 'ledger' | 'effects'>,
): Promise<ReadonlyMap<string, string>> {
  return ledger.sent(report).catch((error: Error) => {
    log.warn('what was sent before cannot be read', { report, error: error.message })
    return new Map<string, string>()
  })
}

/** Notes messages that were accepted. Where that fails, it is logged: they went out all the same. */
export async function recordSent(
  keys: readonly string[],
  report: string,
  { ledger, subject, effects }: Sent,
): Promise<void> {
  try {
    for (const key of keys) await ledger.note({ key, report, due: subject.due })
  } catch (error) {
    effects.log.warn('it was sent, and that could not be noted: it may be sent again', {
      report,
      error: (error as Error).message,
    })
  }
}
