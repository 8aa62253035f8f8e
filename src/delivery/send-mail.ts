import { createTransport } from 'nodemailer'
import type { MailTarget } from '../config/delivery-targets.ts'
import { DeliveryError } from '../errors.ts'
import { tlsFault } from '../external-errors.ts'
import type { Mail } from '../render/to-mail.ts'
import { isLoopback } from '../settings/loopback.ts'

/** The server rejected some recipients. It accepted the mail for all others. */
export class SomeRefused extends DeliveryError {
  readonly recipients: readonly string[]

  constructor(message: string, recipients: readonly string[], isTransient: boolean) {
    super(message, { isTransient, next: 'Check the addresses in `delivery.mail`.' })
    this.recipients = recipients
  }
}

/** Timeout of each step of a delivery, such as the connection or the greeting. */
const STEP_MS = 20_000
/** Timeout of a complete delivery. With only a timeout for each step, a slow server could take hours. */
const ALL_MS = 120_000

export interface OutgoingMail extends Mail {
  readonly to: readonly string[]
  /** Stays the same on retries, so that servers can drop duplicates. */
  readonly id: string
  /** Unix ms. */
  readonly date: number
  /** Attached files. If a picture has a `cid`, the HTML can show the picture with the address `cid:…`. */
  readonly attachments: readonly {
    readonly filename: string
    readonly content: string | Buffer
    readonly contentType: string
    readonly cid?: string
  }[]
}

/**
 * Sends a mail once. Requires TLS, unless the server is on this machine.
 * @throws DeliveryError if the mail was not sent, SomeRefused if the server rejected only some recipients
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
    // Otherwise, the content of a report could make nodemailer read a file or a URL.
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
        rejectedErrors.length > 0 && rejectedErrors.every(isTemporary),
      )
    }
  } catch (cause) {
    if (late.aborted && !signal.aborted) {
      const message = `The mail server ${server} did not accept the mail within ${timeoutMs / 1_000} s.`
      throw new DeliveryError(message, { isTransient: true })
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

/** Removes the password from a server message, also if it is encoded as for AUTH PLAIN or AUTH LOGIN. */
function withoutLogin(text: string, login: MailTarget['login']): string {
  if (!login) return text
  const { user, password } = login
  const sent = [`\0${user}\0${password}`, `${user}\0${user}\0${password}`, password]
  const forms = sent.flatMap((one) => [Buffer.from(one).toString('base64').replace(/=+$/, ''), one])
  return forms.reduce((rest, form) => rest.replaceAll(form, '[redacted]'), text)
}

const isTemporary = ({ responseCode = 0 }) => responseCode >= 400 && responseCode < 500

const TRANSIENT = new Set(['ECONNECTION', 'ETIMEDOUT', 'ESOCKET', 'EDNS', 'ECONNREFUSED', 'ECONNRESET'])

function errorOf(cause: unknown, server: string, login: MailTarget['login']): DeliveryError {
  const { code, responseCode, message } = cause as { code?: string; responseCode?: number; message?: string }
  const tls = cause instanceof Error ? tlsFault(cause) : undefined
  const isTransient =
    responseCode === undefined
      ? tls === undefined && TRANSIENT.has(code ?? '')
      : isTemporary({ responseCode })
  const isLogin = code === 'EAUTH' || code === 'ENOAUTH'
  // After a rejected login, the server's message might contain the password in any form, so only the code is shown.
  const reason = isLogin
    ? `the login was refused${responseCode === undefined ? '' : ` (${responseCode})`}`
    : (tls?.reason ?? withoutLogin(message ?? String(cause), login))
  // The error has no `cause`, because the cause contains the message of the server.
  return new DeliveryError(`The mail server ${server} did not accept the mail: ${reason}`, {
    isTransient,
    next: isLogin
      ? 'Check `user` and the password of `delivery.mail`.'
      : code === 'ETLS'
        ? 'Check `secure` and `port` of `delivery.mail`. Reports are never sent unencrypted.'
        : (tls?.next ?? 'Check `delivery.mail`, then deliver again with `faultline report NAME --deliver`.'),
  })
}
