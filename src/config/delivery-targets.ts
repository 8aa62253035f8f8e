import { ConfigError } from '../errors.ts'
import { isLoopback } from '../settings/loopback.ts'
import { secretIn } from '../settings/secret-file.ts'
import { chatOf, chatServices, chatStyles } from './chat-services.ts'
import type { DeliveryConfig, DeliverySettings } from './delivery.ts'

type Mail = NonNullable<DeliveryConfig['mail']>

export interface MailTarget extends Pick<Mail, 'host' | 'port' | 'secure' | 'from' | 'picture'> {
  readonly login: { readonly user: string; readonly password: string } | undefined
  /** Returns the recipients of a report. Empty if no mail is sent. */
  recipients(report: string): readonly string[]
}

type DeliveryWebhook = NonNullable<DeliveryConfig['webhook']>

export interface WebhookTarget {
  readonly url: URL
  readonly secret: string | undefined
  readonly style: DeliveryWebhook['style']
  readonly picture: boolean
  wants(report: string): boolean
}

export interface Targets {
  readonly folder: boolean
  readonly link: string | undefined
  readonly mail: MailTarget | undefined
  readonly webhook: WebhookTarget | undefined
  /** Values to remove from all output. */
  readonly secrets: readonly string[]
}

/** Builds the delivery channels and reads their secrets. @throws ConfigError for an unreadable file or invalid webhook */
export function targetsOf(delivery: DeliverySettings): Targets {
  const password =
    delivery.smtpPassword ?? secretIn(delivery.mail?.passwordFile, 'The password of the mail server')
  const secret = delivery.webhookSecret ?? secretIn(delivery.webhook?.secretFile, 'The secret of the webhook')
  const hidden = delivery.webhookUrl ?? secretIn(delivery.webhook?.urlFile, 'The address of the webhook')
  const url = delivery.webhook && postable(hidden ?? delivery.webhook.url)
  if (delivery.webhook && url) checkWebhook(delivery.webhook, url, secret, delivery)
  return {
    folder: delivery.folder,
    link: delivery.link,
    mail: delivery.mail && mailTarget(delivery.mail, password),
    webhook: delivery.webhook &&
      url && {
        url,
        secret,
        style: delivery.webhook.style,
        picture: delivery.webhook.picture,
        wants: (report) => delivery.webhook?.reports?.includes(report) ?? true,
      },
    secrets: [password, secret, hidden, ...(url ? secretsIn(url, delivery.webhook?.style) : [])].filter(
      (one) => one !== undefined,
    ),
  }
}

function secretsIn(url: URL, style: DeliveryWebhook['style'] = 'json'): string[] {
  if (style === 'json') return []
  const keys = [...url.searchParams.values(), ...url.pathname.split('/')]
  // Shorter parts of the address are ordinary words of the path, not keys.
  return [url.href, ...keys.filter((key) => key.length >= 16)]
}

function checkWebhook(
  { style, picture }: DeliveryWebhook,
  { hostname }: URL,
  secret: string | undefined,
  { link, folder }: DeliverySettings,
): void {
  const owner = chatStyles.find((one) => chatOf(one)?.hosts.includes(hostname))
  if (owner !== undefined && owner !== style) {
    throw new ConfigError(
      `The webhook has an address of ${chatServices[owner].name}, but the style "${style}".`,
      { next: `Set \`delivery.webhook.style\` to "${owner}".` },
    )
  }
  const chat = chatOf(style)
  if (chat && secret !== undefined && !chat.hasSecret) {
    throw new ConfigError(`${chat.name} does not use signatures, but a secret is set for the webhook.`, {
      next: 'Remove `delivery.webhook.secretFile` and FAULTLINE_WEBHOOK_SECRET. The address itself is the secret, so store it in `urlFile`.',
    })
  }
  if (chat && picture && !chat.hasPicture) {
    throw new ConfigError(`${chat.name} cannot show pictures by address.`, {
      next: 'Remove `delivery.webhook.picture`. The message links to the report.',
    })
  }
  if (picture && (link === undefined || !folder)) {
    throw new ConfigError('A webhook with a picture requires a public address.', {
      next: 'Set `delivery.link` to the address of the folder `out`, and keep `delivery.folder`.',
    })
  }
}

function mailTarget(mail: Mail, password: string | undefined): MailTarget {
  if (mail.user !== undefined && password === undefined) {
    throw new ConfigError(`The password for ${mail.user} at ${mail.host} is missing.`, {
      next: 'Set FAULTLINE_SMTP_PASSWORD, or write it to a file and set `delivery.mail.passwordFile`.',
    })
  }
  return {
    ...mail,
    login: mail.user === undefined || password === undefined ? undefined : { user: mail.user, password },
    recipients: (report) => (Object.hasOwn(mail.reports, report) ? mail.reports[report]! : mail.to),
  }
}

/** Parses the address of the webhook. Errors do not show it, because it could be a secret. */
function postable(text: string | undefined): URL {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined
  if (!url) {
    throw new ConfigError('The address of the webhook is missing.', {
      next: 'Set `delivery.webhook.url`, `urlFile`, or FAULTLINE_WEBHOOK_URL.',
    })
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return url
  throw new ConfigError('The address of the webhook must begin with https://.', {
    next: 'Reports are only sent encrypted. http:// is only permitted for this machine.',
  })
}
