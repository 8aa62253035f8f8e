import { ConfigError } from '../errors.ts'
import { isLoopback } from '../settings/loopback.ts'
import { secretIn } from '../settings/secret-file.ts'
import { chatOf, chatServices, chatStyles } from './chat-services.ts'
import type { DeliveryConfig, DeliverySettings } from './delivery.ts'

type Mail = NonNullable<DeliveryConfig['mail']>
type Webhook = NonNullable<DeliveryConfig['webhook']>

export interface MailTarget extends Pick<Mail, 'host' | 'port' | 'secure' | 'from' | 'picture'> {
  readonly login: { readonly user: string; readonly password: string } | undefined
  recipients(report: string): readonly string[]
}

export interface WebhookTarget extends Pick<Webhook, 'style' | 'picture'> {
  readonly url: URL
  readonly secret: string | undefined
  /** Whether the webhook receives this report. */
  wants(report: string): boolean
}

export interface Targets extends Pick<DeliveryConfig, 'folder'> {
  readonly link: string | undefined
  readonly mail: MailTarget | undefined
  readonly webhook: WebhookTarget | undefined
  /** Secret values to remove from all output. */
  readonly secrets: readonly string[]
}

/** Returns the targets and their secrets. @throws ConfigError for an unreadable file or invalid webhook */
export function targetsOf(delivery: DeliverySettings): Targets {
  const { folder, link, mail, webhook } = delivery
  const password = delivery.smtpPassword ?? secretIn(mail?.passwordFile, 'The password of the mail server')
  const secret = delivery.webhookSecret ?? secretIn(webhook?.secretFile, 'The secret of the webhook')
  const hidden = delivery.webhookUrl ?? secretIn(webhook?.urlFile, 'The address of the webhook')
  const target = webhook && webhookTarget(webhook, hidden ?? webhook.url, secret, delivery)
  return {
    folder,
    link,
    mail: mail && mailTarget(mail, password),
    webhook: target,
    secrets: [password, secret, hidden, ...(target ? secretsIn(target) : [])].filter(
      (one) => one !== undefined,
    ),
  }
}

function webhookTarget(
  webhook: Webhook,
  address: string | undefined,
  secret: string | undefined,
  delivery: DeliverySettings,
): WebhookTarget {
  const url = postable(address)
  checkWebhook(webhook, url, secret, delivery)
  const { style, picture, reports } = webhook
  return { url, secret, style, picture, wants: (report) => reports?.includes(report) ?? true }
}

function secretsIn({ url, style }: WebhookTarget): string[] {
  if (style === 'json') return []
  const keys = [...url.searchParams.values(), ...url.pathname.split('/')]
  // A part of the address with fewer than 16 characters is an ordinary word, not a key.
  return [url.href, ...keys.filter((key) => key.length >= 16)]
}

function checkWebhook(
  { style, picture }: Webhook,
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

/** Parses the address of the webhook. Its errors do not show the address, because the address could be a secret. */
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
