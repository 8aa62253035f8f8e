import { z } from 'zod'

/** The documented message of each chat service. The schemas are strict, so they reject unused fields. */

/** The blocks of Block Kit that messages use, with the limits of docs.slack.dev/reference/block-kit. */
const plainText = (most: number) =>
  z.strictObject({
    type: z.literal('plain_text'),
    text: z.string().min(1).max(most),
    emoji: z.boolean().optional(),
  })
const mrkdwn = (most: number) =>
  z.strictObject({
    type: z.literal('mrkdwn'),
    text: z.string().min(1).max(most),
    verbatim: z.boolean().optional(),
  })
const text = (most: number) => z.union([plainText(most), mrkdwn(most)])
export const slackMessage = z.strictObject({
  text: z.string().max(40_000),
  mrkdwn: z.boolean(),
  unfurl_links: z.boolean(),
  blocks: z
    .array(
      z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('header'), text: plainText(150) }),
        z
          .strictObject({
            type: z.literal('section'),
            text: text(3_000).optional(),
            fields: z.array(text(2_000)).min(1).max(10).optional(),
          })
          .refine((section) => section.text !== undefined || section.fields !== undefined),
        z.strictObject({
          type: z.literal('image'),
          image_url: z.url().max(3_000),
          alt_text: z.string().max(2_000),
        }),
        z.strictObject({ type: z.literal('context'), elements: z.array(text(2_000)).min(1).max(10) }),
      ]),
    )
    .min(1)
    .max(50),
})

/**
 * The parts of adaptivecards.io/schemas/1.5.0/adaptive-card.json that messages use, in the envelope of a Teams
 * workflow.
 */
const textRun = z.strictObject({
  type: z.literal('TextRun'),
  text: z.string(),
  size: z.enum(['default', 'small', 'medium', 'large', 'extraLarge']).optional(),
  weight: z.enum(['default', 'lighter', 'bolder']).optional(),
  color: z.enum(['default', 'dark', 'light', 'accent', 'good', 'warning', 'attention']).optional(),
  isSubtle: z.boolean().optional(),
})
export const teamsMessage = z.strictObject({
  type: z.literal('message'),
  attachments: z.tuple([
    z.strictObject({
      contentType: z.literal('application/vnd.microsoft.card.adaptive'),
      contentUrl: z.null(),
      content: z.strictObject({
        $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
        type: z.literal('AdaptiveCard'),
        version: z.literal('1.5'),
        fallbackText: z.string(),
        body: z.array(
          z.discriminatedUnion('type', [
            z.strictObject({ type: z.literal('RichTextBlock'), inlines: z.array(textRun).min(1) }),
            z.strictObject({
              type: z.literal('Image'),
              url: z.url(),
              altText: z.string(),
              size: z.enum(['auto', 'stretch', 'small', 'medium', 'large']),
            }),
          ]),
        ),
        actions: z
          .array(z.strictObject({ type: z.literal('Action.OpenUrl'), title: z.string(), url: z.url() }))
          .optional(),
        msteams: z.strictObject({ width: z.literal('Full') }),
      }),
    }),
  ]),
})

/** A card as documented at open.feishu.cn, in the message of a custom bot. Signed messages have two more fields. */
const feishuText = (most: number) =>
  z.strictObject({ tag: z.literal('plain_text'), content: z.string().min(1).max(most) })
export const feishuMessage = z.strictObject({
  timestamp: z
    .string()
    .regex(/^\d{10}$/)
    .optional(),
  sign: z.base64().length(44).optional(),
  msg_type: z.literal('interactive'),
  card: z.strictObject({
    config: z.strictObject({ wide_screen_mode: z.boolean() }),
    header: z.strictObject({
      title: feishuText(1_000),
      template: z.enum([
        'blue',
        'wathet',
        'turquoise',
        'green',
        'yellow',
        'orange',
        'red',
        'carmine',
        'grey',
      ]),
    }),
    elements: z
      .array(
        z.discriminatedUnion('tag', [
          z
            .strictObject({
              tag: z.literal('div'),
              text: feishuText(10_000).optional(),
              fields: z
                .array(z.strictObject({ is_short: z.boolean(), text: feishuText(10_000) }))
                .min(1)
                .optional(),
            })
            .refine((div) => div.text !== undefined || div.fields !== undefined),
          z.strictObject({ tag: z.literal('note'), elements: z.array(feishuText(10_000)).min(1) }),
          z.strictObject({
            tag: z.literal('action'),
            actions: z
              .array(
                z.strictObject({
                  tag: z.literal('button'),
                  text: feishuText(100),
                  url: z.url(),
                  type: z.enum(['default', 'primary', 'danger']),
                }),
              )
              .min(1),
          }),
        ]),
      )
      .min(1),
  }),
})

/** `markdown` of a custom bot of DingTalk. It omits `at`, because the message notifies nobody. */
export const dingtalkMessage = z.strictObject({
  msgtype: z.literal('markdown'),
  markdown: z.strictObject({ title: z.string().min(1), text: z.string().min(1) }),
})

/** `markdown` of a bot of a WeCom group, of at most 4,096 bytes. */
export const wecomMessage = z.strictObject({
  msgtype: z.literal('markdown'),
  markdown: z.strictObject({
    content: z
      .string()
      .min(1)
      .refine((text) => Buffer.byteLength(text) <= 4_096, 'markdown.content exceed max length 4096'),
  }),
})

/** Schema and maximum size in bytes of each service’s messages. Slack limits only the parts of a message. */
export const chatShapes = {
  slack: { schema: slackMessage, bytes: 100_000 },
  teams: { schema: teamsMessage, bytes: 28 * 1_024 },
  feishu: { schema: feishuMessage, bytes: 20_000 },
  dingtalk: { schema: dingtalkMessage, bytes: 20_000 },
  wecom: { schema: wecomMessage, bytes: 5_000 },
}
