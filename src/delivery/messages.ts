import { createHash } from 'node:crypto'
import type { Targets } from '../config/delivery-targets.ts'
import type { Effects } from '../effects.ts'
import type { Deliveries } from '../warehouse/deliveries.ts'

/** What a message is about: with its target, what it is known by. */
export interface Subject {
  readonly report: string
  /** The parameters that were given, such as a team; empty for none. */
  readonly parameters: string
  /** The time of the schedule that it is for, ISO in UTC; of a report that was asked for by hand, when its data was read. */
  readonly due: string
}

/**
 * The key of a message to a target. Also its id, the same for whoever sends it: a process that dies between the answer and the
 * note sends it once more, and the receiver can tell. Nothing can be read from it, as an address may be a secret.
 */
export function keyOf({ report, parameters, due }: Subject, target: string): string {
  return createHash('sha256')
    .update(JSON.stringify([report, parameters, due, target]))
    .digest('hex')
    .slice(0, 32)
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

/** A message to one target: a recipient of the mail, or the webhook. */
export interface Message {
  readonly channel: 'mail' | 'webhook'
  readonly to: string
  readonly key: string
  /** When it was sent, ISO; null when it is still to be. */
  readonly sentAt: string | null
}

/** The messages of a report to everyone who wants it, and which of them were sent. */
export async function messagesOf(
  report: string,
  { targets: { mail, webhook }, subject, ledger, again = false, effects }: Sent,
): Promise<Message[]> {
  const all = [
    ...(mail?.recipients(report) ?? []).map((to) => ({ channel: 'mail' as const, to, target: `mail ${to}` })),
    ...(webhook?.wants(report)
      ? [{ channel: 'webhook' as const, to: 'the webhook', target: `webhook ${webhook.url.href}` }]
      : []),
  ]
  const known = again || all.length === 0 ? new Map<string, string>() : await sentOf(report, ledger, effects)
  return all.map(({ channel, to, target }) => {
    const key = keyOf({ report, ...subject }, target)
    return { channel, to, key, sentAt: known.get(key) ?? null }
  })
}

/** A ledger that cannot be read holds no report back: better twice, with the same id, than never. */
async function sentOf(report: string, ledger: Deliveries, { log }: Pick<Effects, 'log'>) {
  return ledger.sent(report).catch((error: Error) => {
    log.warn('what was sent before cannot be read', { report, error: error.message })
    return new Map<string, string>()
  })
}

/** Notes messages that were accepted. Where that fails, it is logged: they went out all the same. */
export async function noteSent(
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
