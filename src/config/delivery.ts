import { z } from 'zod'
import { flag, optionalText, text } from '../settings/config-fields.ts'
import { pathFrom } from '../settings/secret-file.ts'
import { chatStyles } from './chat-services.ts'

/** The part before the @, without characters that would end the address in a mail header. */
const part = String.raw`[^\u0000-\u0020\u007f-\u00a0<>@,;"]+`
/** The domain after the @: `localhost`, or a name with a dot. */
const domain = String.raw`(?:(?:[^\u0000-\u0020\u007f-\u00a0<>@,;".]+\.)+[^\u0000-\u0020\u007f-\u00a0<>@,;".]{2,}|localhost)`
const displayName = String.raw`[^\u0000-\u001f\u007f-\u009f<>,;"]*`

/** One address, not a list, such as `faultline@company.example` or `Faultline <faultline@company.example>`. */
const address = z
  .string()
  .regex(
    new RegExp(`^(?:${part}@${domain}|${displayName}<${part}@${domain}>)$`),
    'expected one address, such as "Faultline <faultline@company.example>"',
  )
const addresses = z.union([address, z.array(address)]).transform((to) => (typeof to === 'string' ? [to] : to))

const webhookUrl = z.url({ protocol: /^https?$/, error: 'expected an address that begins with https://' })

/** Schema of the section `delivery`: where scheduled runs and `faultline report --deliver` send reports. */
export const deliverySchema = z
  .strictObject({
    folder: flag(
      true,
      'Archive the reports of every period in `out/history` and list them in `out/index.html`.',
    ),
    link: z
      .url({ protocol: /^https$/, error: 'expected an address that begins with https://' })
      .optional()
      .describe('Public address of the folder `out`, for links in mails and messages.'),
    mail: z
      .strictObject({
        host: text.describe('SMTP server.'),
        port: z.int().min(1).max(65_535).default(587).describe('SMTP port.'),
        secure: flag(
          false,
          'TLS from the first byte, usually port 465. Otherwise STARTTLS is required, except on this machine.',
        ),
        user: optionalText('User name, if the server requires one.'),
        passwordFile: optionalText(
          'File that contains only the password. FAULTLINE_SMTP_PASSWORD overrides it.',
        ),
        from: address.describe('Sender.'),
        to: addresses.default([]).describe('Recipients of every report.'),
        reports: z
          .record(z.string(), addresses)
          .default({})
          .describe('Recipients by report name, instead of `to`. An empty list disables mail of the report.'),
        picture: flag(
          false,
          'Adds a picture of the top of the report. Requires Chromium and `playwright-core`.',
        ),
      })
      .optional()
      .describe(
        'Sends reports by mail, with period, lead, next steps and four figures, and the report page attached. The subject has the first finding in at most 60 characters.',
      ),
    webhook: z
      .strictObject({
        url: webhookUrl.optional().describe('Address to post to. If it is a secret, use `urlFile` instead.'),
        urlFile: optionalText(
          'File that contains the address, if it is a secret. FAULTLINE_WEBHOOK_URL overrides it.',
        ),
        secretFile: optionalText(
          'File that contains the secret for signing messages. For Feishu and DingTalk, this is the secret of the bot. FAULTLINE_WEBHOOK_SECRET overrides it.',
        ),
        style: z
          .enum(['json', ...chatStyles])
          .default('json')
          .describe(
            'Format of the message: `json` for programs, `slack` for an incoming webhook of Slack (blocks), `teams` for a workflow of Teams (an adaptive card), `feishu` (or Lark), `dingtalk` and `wecom` for a group bot.',
          ),
        picture: flag(
          false,
          'Adds a picture of the top of the report, by its address below `delivery.link`, which the chat service must be able to read. Not available for Feishu and WeCom, which do not show pictures by address.',
        ),
        reports: z.array(z.string()).min(1).optional().describe('Only these reports. Default: all.'),
      })
      .optional()
      .describe(
        'Posts a summary of each report. A chat gets the subject, lead, next steps, four figures and a link.',
      ),
  })
  .prefault({})

export type DeliveryConfig = z.output<typeof deliverySchema>

/** The section `delivery`, with absolute paths and the secrets from the environment. */
export type DeliverySettings = DeliveryConfig & {
  readonly smtpPassword: string | undefined
  readonly webhookUrl: string | undefined
  readonly webhookSecret: string | undefined
}

export function deliveryOf(
  section: DeliveryConfig,
  folder: string,
  variable: (name: string) => string | undefined,
): DeliverySettings {
  const { mail, webhook } = section
  return {
    ...section,
    mail: mail && { ...mail, passwordFile: pathFrom(folder, mail.passwordFile) },
    webhook: webhook && {
      ...webhook,
      urlFile: pathFrom(folder, webhook.urlFile),
      secretFile: pathFrom(folder, webhook.secretFile),
    },
    smtpPassword: variable('FAULTLINE_SMTP_PASSWORD'),
    webhookUrl: variable('FAULTLINE_WEBHOOK_URL'),
    webhookSecret: variable('FAULTLINE_WEBHOOK_SECRET'),
  }
}
