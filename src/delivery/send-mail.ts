import { createTransport } from 'nodemailer'
import { isLoopback, type MailTarget } from '../config/delivery-targets.ts'
import { DeliveryError } from '../errors.ts'
import type { Mail } from '../render/to-mail.ts'

/** No step of a mail takes that long where a server works. */
const STEP_MS = 20_000

/** A mail that is ready to be sent. */
export interface Letter extends Mail {
  readonly to: readonly string[]
  /** Distinguishes it from all others; the same when it is sent again, so that servers can see that. */
  readonly id: string
  /** Unix ms. */
  readonly date: number
  readonly attachment: { readonly filename: string; readonly content: string }
}

/**
 * Sends a mail once. A connection that is not to this machine is encrypted, or the mail is not sent.
 * @throws DeliveryError, also when some of the recipients are refused
 */
export async function sendMail(letter: Letter, target: MailTarget, signal: AbortSignal): Promise<void> {
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
    // What a report says can never make it read a file or an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const server = `${host}:${port}`
  try {
    const { rejected } = await transport.sendMail({
      from: target.from,
      to: [...letter.to],
      subject: letter.subject,
      text: letter.text,
      html: letter.html,
      date: new Date(letter.date),
      messageId: `<${letter.id}@${domainOf(target.from)}>`,
      // Nobody is to answer it with a note that they are away.
      headers: { 'Auto-Submitted': 'auto-generated' },
      attachments: [{ ...letter.attachment, contentType: 'text/html; charset=utf-8' }],
      signal,
    })
    if (rejected.length > 0) {
      throw new DeliveryError(
        `The mail server ${server} refused ${rejected.length} of ${letter.to.length} recipients: ${rejected.join(', ')}`,
        {
          isPassing: false,
          next: 'Check the addresses in `delivery.mail`.',
        },
      )
    }
  } catch (cause) {
    throw cause instanceof DeliveryError ? cause : errorOf(cause, server)
  } finally {
    transport.close()
  }
}

function domainOf(from: string): string {
  return /@([^\s>]+)>?$/.exec(from)?.[1] ?? 'localhost'
}

/** Codes of nodemailer for what may be over in a minute. */
const PASSING = new Set(['ECONNECTION', 'ETIMEDOUT', 'ESOCKET', 'EDNS', 'ECONNREFUSED', 'ECONNRESET'])

function errorOf(cause: unknown, server: string): DeliveryError {
  const { code, responseCode, message } = cause as { code?: string; responseCode?: number; message?: string }
  const isPassing =
    responseCode === undefined ? PASSING.has(code ?? '') : responseCode >= 400 && responseCode < 500
  const isLogin = code === 'EAUTH' || code === 'ENOAUTH'
  return new DeliveryError(`The mail server ${server} did not take the mail: ${message ?? String(cause)}`, {
    cause,
    isPassing,
    next: isLogin
      ? 'Check `user` and the password of `delivery.mail`.'
      : code === 'ETLS'
        ? 'Check `secure` and `port` of `delivery.mail`: reports are not sent in the clear.'
        : 'Check `delivery.mail`, then deliver again with `faultline report NAME --deliver`.',
  })
}
