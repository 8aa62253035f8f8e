import { createTransport } from 'nodemailer'
import type { MailTarget } from '../config/delivery-targets.ts'
import { DeliveryError } from '../errors.ts'
import { tlsFault } from '../external-errors.ts'
import type { Mail } from '../render/to-mail.ts'
import { isLoopback } from '../settings/loopback.ts'

/** The server rejected some recipients, and the others have received the mail. */
export class SomeRefused extends DeliveryError {
  readonly recipients: readonly string[]

  constructor(message: string, recipients: readonly string[], isTransient: boolean) {
    super(message, { isTransient, next: 'Check the addresses in `delivery.mail`.' })
    this.recipients = recipients
  }
}

/**
 * Timeouts of each step and of the whole delivery. Without the second timeout, a slow server could take hours, step by
 * step.
 */
const STEP_MS = 20_000
const ALL_MS = 120_000

export interface OutgoingMail extends Mail {
  readonly to: readonly string[]
  /** Stays the same on retries, so that servers can drop duplicates. */
  readonly id: string
  /** Unix ms. */
  readonly date: number
  /** The mail shows attachments with a `cid` inline, through `cid:…`. */
  readonly attachments: readonly {
    readonly filename: string
    readonly content: string | Buffer
    readonly contentType: string
    readonly cid?: string
  }[]
}

/**
 * Sends a mail once. TLS is required unless the server is on this machine.
 * @throws DeliveryError, or SomeRefused if only some recipients are rejected. SomeRefused is transient if all rejected
 * recipients can be retried
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
    // The content of a report must not cause reads of files or URLs.
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
      // Prevents out-of-office replies.
      headers: { 'Auto-Submitted': 'auto-generated' },
      attachments: [...mail.attachments],
      signal: AbortSignal.any([signal, late]),
    })
    if (rejected.length > 0) {
      const refused = mail.to.filter((one) => rejected.includes(addressOf(one)))
      throw new SomeRefused(
        `The mail server ${server} rejected ${rejected.length} of ${mail.to.length} recipients: ${rejected.join(', ')}`,
        refused,
        rejectedErrors.length > 0 &&
          rejectedErrors.every(({ responseCode = 0 }) => responseCode >= 400 && responseCode < 500),
      )
    }
  } catch (cause) {
    if (late.aborted && !signal.aborted) {
      throw new DeliveryError(
        `The mail server ${server} did not accept the mail within ${timeoutMs / 1_000} s.`,
        {
          isTransient: true,
        },
      )
    }
    throw cause instanceof DeliveryError ? cause : errorOf(cause, server, login)
  } finally {
    transport.close()
  }
}

/** Returns `a@company.example` from `A <a@company.example>`. */
function addressOf(recipient: string): string {
  return /<([^>]*)>$/.exec(recipient)?.[1] ?? recipient
}

function domainOf(from: string): string {
  return /@([^\s>]+)>?$/.exec(from)?.[1] ?? 'localhost'
}

/** Removes the password from a server's message, including the encodings of AUTH PLAIN and LOGIN. */
function withoutLogin(text: string, login: MailTarget['login']): string {
  if (!login) return text
  const { user, password } = login
  const sent = [`\0${user}\0${password}`, `${user}\0${user}\0${password}`, password]
  const forms = sent.flatMap((one) => [Buffer.from(one).toString('base64').replace(/=+$/, ''), one])
  return forms.reduce((rest, form) => rest.replaceAll(form, '[redacted]'), text)
}

const TRANSIENT = new Set(['ECONNECTION', 'ETIMEDOUT', 'ESOCKET', 'EDNS', 'ECONNREFUSED', 'ECONNRESET'])

function errorOf(cause: unknown, server: string, login: MailTarget['login']): DeliveryError {
  const { code, responseCode, message } = cause as { code?: string; responseCode?: number; message?: string }
  const tls = cause instanceof Error ? tlsFault(cause) : undefined
  const isTransient =
    responseCode === undefined
      ? tls === undefined && TRANSIENT.has(code ?? '')
      : responseCode >= 400 && responseCode < 500
  const isLogin = code === 'EAUTH' || code === 'ENOAUTH'
  // After a rejected login, a server might repeat the credentials in any form, so only its code is shown.
  const reason = isLogin
    ? `the login was refused${responseCode === undefined ? '' : ` (${responseCode})`}`
    : (tls?.reason ?? withoutLogin(message ?? String(cause), login))
  // The cause is omitted, because it contains the server's message.
  return new DeliveryError(`The mail server ${server} did not accept the mail: ${reason}`, {
    isTransient,
    next: isLogin
      ? 'Check `user` and the password of `delivery.mail`.'
      : code === 'ETLS'
        ? 'Check `secure` and `port` of `delivery.mail`. Reports are never sent unencrypted.'
        : (tls?.next ?? 'Check `delivery.mail`, then deliver again with `faultline report NAME --deliver`.'),
  })
}
