import type { Targets } from '../config/delivery-targets.ts'
import type { Effects } from '../effects.ts'
import { DeliveryError, FaultlineError } from '../errors.ts'
import type { ReportResult } from '../render/result.ts'
import { oldData, summaryOf } from '../render/summary.ts'
import { toHtml } from '../render/to-html.ts'
import { toMail } from '../render/to-mail.ts'
import { toWebhook } from '../render/to-webhook.ts'
import { historyPath, keepPage } from './history.ts'
import { post } from './post.ts'
import { printPage } from './print.ts'
import { sendMail } from './send-mail.ts'

/** Waits between attempts, long enough for a server that restarts. */
const WAITS_MS = [2_000, 10_000, 60_000]

/** A report's delivery over one channel. */
interface Delivered {
  readonly report: string
  readonly channel: 'folder' | 'mail' | 'webhook'
  /** The destination, for people; never a secret. */
  readonly to: string
  /** Null when it was delivered. */
  readonly error: FaultlineError | null
}

interface DeliverOptions {
  /** Folder of the reports. */
  readonly out: string
  readonly targets: Targets
  readonly effects: Effects
  readonly signal: AbortSignal
}

/**
 * Delivers a report over every configured channel. Transient failures are retried; a channel that fails does not stop
 * the others.
 * @throws the signal's reason when it is aborted
 */
export async function deliver(made: ReportResult, options: DeliverOptions): Promise<Delivered[]> {
  const { out, targets, effects, signal } = options
  const old = oldData(made.frame, effects.now())
  const result = old === null ? made : { ...made, title: `${made.title} (${old})` }
  const page = toHtml(made)
  const summary = summaryOf(result)
  const path = targets.folder ? `${historyPath(summary)}.html` : `${made.name}.html`
  const link = targets.link === undefined ? null : linkTo(targets.link, path)
  const isPictured = targets.mail?.picture || targets.webhook?.picture
  const picture = isPictured ? await pictureOf(page, result.name, effects) : null
  const done: Promise<Delivered>[] = []
  const start = (channel: Delivered['channel'], to: string, act: () => Promise<void>) => {
    done.push(errorOf(act, signal).then((error) => ({ report: result.name, channel, to, error })))
  }
  if (targets.folder) {
    start('folder', path, async () => void keepPage(out, page, summaryOf(made), effects.now(), picture))
  }
  const { mail, webhook } = targets
  const to = mail?.recipients(result.name) ?? []
  if (mail && to.length > 0) {
    const message = {
      ...toMail(result, link, mail.picture && picture !== null ? PICTURE_ID : null),
      to,
      id: newId(effects),
      date: effects.now(),
      attachments: [
        { filename: filenameOf(path), content: page, contentType: 'text/html; charset=utf-8' },
        ...(mail.picture && picture !== null
          ? [{ filename: 'head.png', content: picture, contentType: 'image/png', cid: PICTURE_ID }]
          : []),
      ],
    }
    start('mail', to.join(', '), () => withRetries(effects, signal, () => sendMail(message, mail, signal)))
  }
  if (webhook?.wants(result.name)) {
    const now = effects.now()
    const shown = (webhook.picture && picture !== null && link?.replace(/html$/, 'png')) || null
    const body = toWebhook({ summary, now, path, link, picture: shown }, webhook.style)
    const message = { id: newId(effects), date: now, body }
    start('webhook', 'the webhook', () => withRetries(effects, signal, () => post(message, webhook, signal)))
  }
  return Promise.all(done)
}

/** Names the picture inside of a mail. */
const PICTURE_ID = 'head@faultline'

/** A picture of the page's head; null, and a warning, where none can be made: the rest goes out all the same. */
async function pictureOf(
  page: string,
  report: string,
  { log }: Pick<Effects, 'log'>,
): Promise<Buffer | null> {
  try {
    return (await printPage(page, ['png'])).png ?? null
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    log.warn('delivering without a picture', { report, error: error.message, next: error.next })
    return null
  }
}

async function errorOf(act: () => Promise<void>, signal: AbortSignal): Promise<FaultlineError | null> {
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

/** A file name of characters that every mail program and file system accepts. */
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

/**
 * Tries up to four times while the failure is transient; waits vary by a quarter at random.
 * @throws the last failure, or the signal's reason
 */
async function withRetries(
  effects: Pick<Effects, 'sleep' | 'random' | 'log'>,
  signal: AbortSignal,
  act: () => Promise<void>,
): Promise<void> {
  for (const wait of WAITS_MS) {
    signal.throwIfAborted()
    try {
      return await act()
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof DeliveryError) || !error.isTransient) throw error
      effects.log.warn('retrying delivery', { error: error.message, wait_ms: wait })
    }
    await effects.sleep(wait * (0.75 + effects.random() / 2), signal)
  }
  signal.throwIfAborted()
  return act()
}
