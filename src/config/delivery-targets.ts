import { readFileSync } from 'node:fs'
import { ConfigError } from '../errors.ts'
import type { Delivery, DeliveryConfig } from './delivery.ts'

/** Where mails go, and how. */
export interface MailTarget {
  readonly host: string
  readonly port: number
  readonly secure: boolean
  readonly login: { readonly user: string; readonly password: string } | undefined
  readonly from: string
  /** Recipients of a report; none: no mail. */
  recipients(report: string): readonly string[]
}

/** Where messages are posted. */
export interface WebhookTarget {
  readonly url: URL
  readonly secret: string | undefined
  wants(report: string): boolean
}

export interface Targets {
  readonly folder: boolean
  readonly link: string | undefined
  readonly mail: MailTarget | undefined
  readonly webhook: WebhookTarget | undefined
  /** What must not be printed. */
  readonly secrets: readonly string[]
}

/**
 * Everything that is needed to deliver, with the files of secrets read.
 * @throws ConfigError when a file cannot be read, or an address is not fit to be posted to
 */
export function targetsOf(delivery: Delivery): Targets {
  const password =
    delivery.smtpPassword ?? secretIn(delivery.mail?.passwordFile, 'The password of the mail server')
  const secret = delivery.webhookSecret ?? secretIn(delivery.webhook?.secretFile, 'The secret of the webhook')
  const hidden = delivery.webhookUrl ?? secretIn(delivery.webhook?.urlFile, 'The address of the webhook')
  return {
    folder: delivery.folder,
    link: delivery.link,
    mail: delivery.mail && mailTarget(delivery.mail, password),
    webhook: delivery.webhook && {
      url: postable(hidden ?? delivery.webhook.url),
      secret,
      wants: (report) => delivery.webhook?.reports?.includes(report) ?? true,
    },
    secrets: [password, secret, hidden].filter((one) => one !== undefined),
  }
}

function mailTarget(mail: NonNullable<DeliveryConfig['mail']>, password: string | undefined): MailTarget {
  if (mail.user !== undefined && password === undefined) {
    throw new ConfigError(`There is no password for ${mail.user} at ${mail.host}.`, {
      next: 'Set FAULTLINE_SMTP_PASSWORD, or name a file that holds it as `delivery.mail.passwordFile`.',
    })
  }
  const { host, port, secure, from } = mail
  return {
    host,
    port,
    secure,
    from,
    login: mail.user === undefined || password === undefined ? undefined : { user: mail.user, password },
    recipients: (report) => (Object.hasOwn(mail.reports, report) ? mail.reports[report]! : mail.to),
  }
}

/** The address may be a secret, so it is never said. */
function postable(text: string | undefined): URL {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined
  if (!url) {
    throw new ConfigError('The webhook has no address.', {
      next: 'Set `delivery.webhook.url`, `urlFile`, or FAULTLINE_WEBHOOK_URL.',
    })
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return url
  throw new ConfigError('The address of the webhook does not begin with https://.', {
    next: 'Reports are not sent in the clear; http:// works on this machine only.',
  })
}

/** A host that only this machine answers for. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host)
}

function secretIn(path: string | undefined, what: string): string | undefined {
  if (path === undefined) return undefined
  try {
    const text = readFileSync(path, 'utf8').trim()
    if (text !== '') return text
  } catch (cause) {
    throw new ConfigError(`${what} cannot be read from ${path}.`, {
      cause,
      next: 'Check the file and its mode.',
    })
  }
  throw new ConfigError(`${what} is to be in ${path}, which is empty.`)
}
