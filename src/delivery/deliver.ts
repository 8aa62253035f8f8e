import type { Targets } from '../config/delivery-targets.ts'
import type { Effects } from '../effects.ts'
import { FaultlineError } from '../errors.ts'
import type { ReportResult } from '../render/result.ts'
import { summaryOf } from '../render/summary.ts'
import { toHtml } from '../render/to-html.ts'
import { toMail } from '../render/to-mail.ts'
import { historyPath } from './history.ts'
import { keepPage } from './keep-page.ts'
import { patiently } from './patiently.ts'
import { post } from './post.ts'
import { sendMail } from './send-mail.ts'

/** Where a report went, or why it did not. */
export interface Delivered {
  readonly report: string
  readonly channel: 'folder' | 'mail' | 'webhook'
  /** Where to, for people; never a secret. */
  readonly to: string
  readonly error: FaultlineError | null
}

export interface DeliverOptions {
  /** Folder of the reports. */
  readonly out: string
  readonly targets: Targets
  readonly effects: Effects
  readonly signal: AbortSignal
}

/**
 * Brings a report wherever it is to go. A way that fails is told, after it was tried again for a while, and keeps
 * nothing from going the others.
 * @throws the signal's reason when it is aborted
 */
export async function deliver(result: ReportResult, options: DeliverOptions): Promise<Delivered[]> {
  const { out, targets, effects, signal } = options
  const page = toHtml(result)
  const summary = summaryOf(result)
  const path = targets.folder ? `${historyPath(summary)}.html` : `${result.name}.html`
  const link = targets.link === undefined ? null : linkTo(targets.link, path)
  const done: Promise<Delivered>[] = []
  const go = (channel: Delivered['channel'], to: string, act: () => Promise<void>) => {
    done.push(told(act, signal).then((error) => ({ report: result.name, channel, to, error })))
  }
  if (targets.folder) {
    go('folder', path, async () => void keepPage(out, page, summary, effects.now()))
  }
  const { mail, webhook } = targets
  const to = mail?.recipients(result.name) ?? []
  if (mail && to.length > 0) {
    const letter = {
      ...toMail(result, link),
      to,
      id: newId(effects),
      date: effects.now(),
      attachment: { filename: filenameOf(path), content: page },
    }
    go('mail', to.join(', '), () => patiently(effects, signal, () => sendMail(letter, mail, signal)))
  }
  if (webhook?.wants(result.name)) {
    const message = { event: 'report', delivered_at: iso(effects.now()), ...summary, path, link }
    const posted = { id: newId(effects), date: effects.now(), body: JSON.stringify(message) }
    go('webhook', 'the webhook', () => patiently(effects, signal, () => post(posted, webhook, signal)))
  }
  return Promise.all(done)
}

async function told(act: () => Promise<void>, signal: AbortSignal): Promise<FaultlineError | null> {
  try {
    await act()
    return null
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof FaultlineError) return error
    throw error
  }
}

function linkTo(base: string, path: string): string {
  return `${base.replace(/\/*$/, '')}/${path.split('/').map(encodeURIComponent).join('/')}`
}

/** Mail programs and file systems take these characters as they are. */
function filenameOf(path: string): string {
  return path
    .replace(/^history\//, '')
    .replaceAll('/', '-')
    .replace(/[^\w.-]+/g, '_')
}

function newId({ random }: Pick<Effects, 'random'>): string {
  const word = () =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0')
  return [word(), word(), word(), word()].join('')
}

function iso(time: number): string {
  return new Date(time).toISOString()
}
