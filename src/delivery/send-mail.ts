import { createTransport } from 'nodemailer'
import type { MailTarget } from '../config/delivery-targets.ts'
import { DeliveryError } from '../errors.ts'
import { tlsFault } from '../external-errors.ts'
import type { Mail } from '../render/to-mail.ts'
import { isLoopback } from '../settings/loopback.ts'

/** Some of the recipients were refused; the others have the mail. */
export class SomeRefused extends DeliveryError {
  readonly recipients: readonly string[]

  constructor(message: string, recipients: readonly string[], isTransient: boolean) {
    super(message, { isTransient, next: 'Check the addresses in `delivery.mail`.' })
    this.recipients = recipients
  }
}

/** Time-out of each step, and of all of them: a server may answer a word at a time. */
const STEP_MS = 20_000
const ALL_MS = 120_000

/** A mail with its envelope. */
export interface OutgoingMail extends Mail {
  readonly to: readonly string[]
  /** The same on every retry, so that servers can drop duplicates. */
  readonly id: string
  /** Unix ms. */
  readonly date: number
  /** One with a `cid` is shown in the mail, by `cid:…`. */
  readonly attachments: readonly {
    readonly filename: string
    readonly content: string | Buffer
    readonly contentType: string
    readonly cid?: string
  }[]
}

/**
 * Sends a mail once. TLS is required unless the server is on this machine.
 * @throws DeliveryError; SomeRefused when some of the recipients are refused, which is transient where all of them may be asked again
 */
export async function sendMail(
  mail: OutgoingMail,
  target: MailTarget,
  signal: AbortSignal,
  timeoutMs = ALL_MS,
): Promise<void> {
  const { host, port, secure, login } = target
  const transport = createTransport({
    host,
    port,
    secure,
    requireTLS: !secure && !isLoopback(host),
    ignoreTLS: !secure && isLoopback(host),
    ...(login && { auth: { user: login.user, pass: login.password } }),
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    dnsTimeout: STEP_MS,
    // The content of a report must not make it read a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const server = `${host}:${port}`
  const late = AbortSignal.timeout(timeoutMs)
  try {
    const { rejected, rejectedErrors = [] } = await transport.sendMail({
      from: target.from,
      to: [...mail.to],
      subject: mail.subject,
      text: mail.text,
      html: mail.html,
      date: new Date(mail.date),
      messageId: `<${mail.id}@${domainOf(target.from)}>`,
      // No out-of-office replies.
      headers: { 'Auto-Submitted': 'auto-generated' },
      attachments: [...mail.attachments],
      signal: AbortSignal.any([signal, late]),
    })
    if (rejected.length > 0) {
      const refused = mail.to.filter((one) => rejected.includes(addressOf(one)))
      throw new SomeRefused(
        `The mail server ${server} refused ${rejected.length} of ${mail.to.length} recipients: ${rejected.join(', ')}`,
        refused,
        rejectedErrors.length > 0 &&
          rejectedErrors.every(({ responseCode = 0 }) => responseCode >= 400 && responseCode < 500),
      )
    }
  } catch (cause) {
    if (late.aborted && !signal.aborted) {
      throw new DeliveryError(`The mail server ${server} did not take the mail in ${timeoutMs / 1_000} s.`, {
        isTransient: true,
      })
    }
    throw cause instanceof DeliveryError ? cause : errorOf(cause, server, login)
  } finally {
    transport.close()
  }
}

/** `a@company.example` of `A <a@company.example>`. */
function addressOf(recipient: string): string {
  return /<([^>]*)>$/.exec(recipient)?.[1] ?? recipient
}

function domainOf(from: string): string {
  return /@([^\s>]+)>?$/.exec(from)?.[1] ?? 'localhost'
}

/** A text of the server without the password, and without what AUTH PLAIN and LOGIN make of it. */
function withoutLogin(text: string, login: MailTarget['login']): string {
  if (!login) return text
  const { user, password } = login
  const sent = [`\0${user}\0${password}`, `${user}\0${user}\0${password}`, password]
  const forms = sent.flatMap((one) => [Buffer.from(one).toString('base64').replace(/=+$/, ''), one])
  return forms.reduce((rest, form) => rest.replaceAll(form, '[redacted]'), text)
}

/** Codes of nodemailer for transient failures. */
const TRANSIENT = new Set(['ECONNECTION', 'ETIMEDOUT', 'ESOCKET', 'EDNS', 'ECONNREFUSED', 'ECONNRESET'])

function errorOf(cause: unknown, server: string, login: MailTarget['login']): DeliveryError {
  const { code, responseCode, message } = cause as { code?: string; responseCode?: number; message?: string }
  const tls = cause instanceof Error ? tlsFault(cause) : undefined
  const isTransient =
    responseCode === undefined
      ? tls === undefined && TRANSIENT.has(code ?? '')
      : responseCode >= 400 && responseCode < 500
  const isLogin = code === 'EAUTH' || code === 'ENOAUTH'
  // A server may repeat what AUTH sent, in whatever form: of a refused login only the number is shown.
  const reason = isLogin
    ? `the login was refused${responseCode === undefined ? '' : ` (${responseCode})`}`
    : (tls?.reason ?? withoutLogin(message ?? String(cause), login))
  // Without the cause, which holds the server's words too.
  return new DeliveryError(`The mail server ${server} did not accept the mail: ${reason}`, {
    isTransient,
    next: isLogin
      ? 'Check `user` and the password of `delivery.mail`.'
      : code === 'ETLS'
        ? 'Check `secure` and `port` of `delivery.mail`: reports are not sent in the clear.'
        : (tls?.next ?? 'Check `delivery.mail`, then deliver again with `faultline report NAME --deliver`.'),
  })
}
