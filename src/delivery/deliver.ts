import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { MailTarget } from '../config/delivery-targets.ts'
import type { Effects } from '../effects.ts'
import { DeliveryError, FaultlineError } from '../errors.ts'
import { dataTo, oldData } from '../page/sentences/period-sentences.ts'
import { LISTS } from '../render/list-page.ts'
import type { ReportResult } from '../render/result.ts'
import { summaryOf, words } from '../render/summary.ts'
import { ALONE } from '../render/table-html.ts'
import { toHtml } from '../render/to-html.ts'
import { toMail } from '../render/to-mail.ts'
import { toWebhook } from '../render/to-webhook.ts'
import { historyPath, keepPage } from '../site/history.ts'
import { siteOfKept } from '../site/page-navigation.ts'
import { keyOf, type Message, messagesOf, recordSent, type Sent } from './outbox.ts'
import { printPage } from './print-page.ts'
import { type OutgoingMail, SomeRefused, sendMail } from './send-mail.ts'
import { post } from './send-webhook.ts'
import { noteShift } from './shifts.ts'

interface Delivered {
  readonly report: string
  readonly channel: 'folder' | 'mail' | 'webhook'
  /** The destination as shown to people. Never contains a secret. */
  readonly to: string
  readonly error: FaultlineError | null
  /** Time (ISO) of an earlier delivery of this message. If set, this run did not send the message again. */
  readonly sentAt: string | null
}

export interface DeliverOptions extends Sent {
  /** Folder of the report pages. */
  readonly out: string
  readonly effects: Effects
  readonly signal: AbortSignal
  /** Path of the page in the folder, without `.html` (default: the report's name). */
  readonly address?: string
  /** Whether the recipients already have an incomplete report on the same period. */
  readonly completes?: boolean
  /** Delays before each retry, in milliseconds. */
  readonly waits?: readonly number[]
}

/** Default delays before each retry. Together, they are long enough for a server to restart. */
const WAITS_MS = [2_000, 10_000, 60_000]
/** Time to finish sending a message after a stop request. Otherwise, the next run would send the message again. */
const ANSWER_MS = 5_000

/**
 * Skips messages that were sent before, and retries transient failures. If one channel fails, the others continue.
 * @throws the signal's reason if aborted
 */
export async function deliver(made: ReportResult, options: DeliverOptions): Promise<Delivered[]> {
  const { out, targets, effects, address: own = made.name, again = false, waits = WAITS_MS } = options
  // Each wait adds a listener to the signal. Node warns about many listeners, so each report has its own signal.
  const signal = AbortSignal.any([options.signal])
  const result = withState(made, options)
  const summary = summaryOf(result)
  const path = targets.folder ? `${historyPath(summary)}.html` : `${own}.html`
  const link = targets.link === undefined ? null : linkTo(targets.link, path)
  // The mail does not contain the incident lists. Its page links to the lists only if they have a public address.
  const hasLists = targets.link !== undefined && existsSync(join(out, own, LISTS))
  const page = toHtml(made, { ...ALONE, lists: hasLists ? linkTo(targets.link, `${own}/${LISTS}`) : null })
  const { mail, webhook } = targets
  const messages = await messagesOf(made.name, options)
  const open = messages.filter(({ sentAt }) => sentAt === null)
  const isPictured = (mail?.picture || webhook?.picture) && (open.length > 0 || targets.folder)
  const picture = isPictured ? await pictureOf(page, made.name, effects) : null
  const done: Promise<Delivered>[] = messages
    .filter(({ channel, sentAt }) => channel !== 'folder' && sentAt !== null)
    .map(async ({ channel, to, sentAt }) => ({ report: made.name, channel, to, error: null, sentAt }))
  const start = (channel: Delivered['channel'], to: string, act: () => Promise<void>) => {
    done.push(errorOf(act, signal).then((error) => ({ report: made.name, channel, to, error, sentAt: null })))
  }
  const send = (channel: Delivered['channel'], to: string, act: () => Promise<void>) =>
    start(channel, to, () => withRetries(made.name, { effects, signal, waits }, act))
  if (targets.folder) {
    // An archived page has no links to incident lists, because these lists always show current data.
    const kept = toHtml(made, { ...ALONE, site: siteOfKept(out, made) })
    start('folder', path, async () => void keepPage(out, kept, summaryOf(made), effects.now(), picture))
  }
  const letters = open.filter(({ channel }) => channel === 'mail')
  if (mail && letters.length > 0) {
    const id = again ? randomUUID() : keyOf({ report: made.name, ...options.subject }, 'mail')
    const content = { ...letterOf(result, { page, path, link, picture: mail.picture ? picture : null }), id }
    const act = mailing({ ...content, date: effects.now() }, letters, mail, {
      ...options,
      signal,
      report: made.name,
    })
    send('mail', letters.map(({ to }) => to).join(', '), act)
  }
  const [call] = open.filter(({ channel }) => channel === 'webhook')
  if (webhook && call) {
    const now = effects.now()
    const shown = (webhook.picture && picture !== null && link?.replace(/html$/, 'png')) || null
    const body = toWebhook({ summary, now, path, link, picture: shown }, webhook.style)
    const id = again ? randomUUID() : call.key
    send('webhook', call.to, async () => {
      await answered(signal, (late) => post({ id, date: effects.now(), body }, webhook, late))
      await recordSent([call.key], made.name, options)
    })
  }
  const delivered = await Promise.all(done)
  if (!delivered.some(({ error }) => error)) await notePages(open, made.name, options)
  const accepted = delivered.filter(({ channel, error }) => channel !== 'folder' && error === null)
  if (accepted.length > 0 || messages.some(({ channel }) => channel === 'folder'))
    await noteShift(made, options)
  return delivered
}

/** Records a scheduled report that only the folder receives. A manual report is not recorded, so it can run again. */
async function notePages(open: readonly Message[], report: string, options: DeliverOptions): Promise<void> {
  const pages = options.subject.due === options.subject.period ? [] : open
  const keys = pages.filter(({ channel }) => channel === 'folder').map(({ key }) => key)
  await recordSent(keys, report, options)
}

/** Adds a note to title and subject if the data is incomplete, old, or complete after an incomplete report. */
function withState(made: ReportResult, { subject, completes, effects }: DeliverOptions): ReportResult {
  const named = (change: (name: string, note: string) => string, note = '') => ({
    ...made,
    title: change(made.title, note),
    subject: { ...made.subject, name: change(made.subject.name, note.replace(/:.*/, '')) },
  })
  const noted = (name: string, note: string) => `${name} (${note})`
  if (!subject.isComplete) return named(noted, words(dataTo(made.frame)))
  if (completes) return named((name) => `Complete: ${name}`)
  const old = oldData(made.frame, effects.now())
  return old === null ? made : named(noted, words(old))
}

function letterOf(
  result: ReportResult,
  { page, path, link, picture }: { page: string; path: string; link: string | null; picture: Buffer | null },
) {
  return {
    ...toMail(result, link, picture === null ? null : PICTURE_ID),
    attachments: [
      { filename: filenameOf(path), content: page, contentType: 'text/html; charset=utf-8' },
      ...(picture === null
        ? []
        : [{ filename: 'head.png', content: picture, contentType: 'image/png', cid: PICTURE_ID }]),
    ],
  }
}

/** Returns a function that sends the mail. After a failure, a second call sends only to the remaining recipients. */
function mailing(
  content: Omit<OutgoingMail, 'to'>,
  letters: readonly Message[],
  mail: MailTarget,
  options: DeliverOptions & { readonly report: string },
): () => Promise<void> {
  let left = letters
  return async () => {
    const letter = { ...content, to: left.map(({ to }) => to) }
    const sending = answered(options.signal, (late) => sendMail(letter, mail, late))
    const refused = await sending.catch((error: unknown) => {
      if (error instanceof SomeRefused) return error
      throw error
    })
    const isRefused = ({ to }: Message) => refused?.recipients.includes(to) ?? false
    const accepted = left.filter((each) => !isRefused(each)).map(({ key }) => key)
    await recordSent(accepted, options.report, options)
    left = left.filter(isRefused)
    if (refused) throw refused
  }
}

const PICTURE_ID = 'head@faultline'

/** Returns a picture of the top of the page. Null after a failure, so that the report is sent without a picture. */
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

function filenameOf(path: string): string {
  return path
    .replace(/^history\//, '')
    .replaceAll('/', '-')
    .replace(/[^\w.-]+/g, '_')
}

/** Runs `act` with a signal that aborts `ANSWER_MS` after `signal`. */
async function answered(signal: AbortSignal, act: (late: AbortSignal) => Promise<void>): Promise<void> {
  const late = new AbortController()
  const stop = () => {
    AbortSignal.timeout(ANSWER_MS).addEventListener('abort', () => late.abort(signal.reason))
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    await act(late.signal)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Retries transient failures. Varies each delay by up to 25%. @throws the last failure, or the signal's reason */
async function withRetries(
  report: string,
  { effects, signal, waits }: Required<Pick<DeliverOptions, 'effects' | 'signal' | 'waits'>>,
  act: () => Promise<void>,
): Promise<void> {
  for (const wait of waits) {
    signal.throwIfAborted()
    try {
      return await act()
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof DeliveryError) || !error.isTransient) throw error
      effects.log.warn(`retrying delivery in ${wait / 1_000} s`, { report, error: error.message })
    }
    await effects.sleep(wait * (0.75 + effects.random() / 2), signal)
  }
  signal.throwIfAborted()
  return act()
}
