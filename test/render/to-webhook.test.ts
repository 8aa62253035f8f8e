import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { summaryOf } from '../../src/render/summary.ts'
import { toWebhook, type WebhookReport, type WebhookStyle } from '../../src/render/to-webhook.ts'
import { card, sample } from '../support/report-result.ts'

/** Titles that would act in Slack, in Teams' Markdown, or in a template of either. */
const hostile =
  '<!channel> <@U012AB3CD> <http://x.invalid|click> *b* _i_ ~s~ `c` [t](http://x.invalid) **B** <at>All</at> {{DATE(2026-01-01)}} &amp;'

function report(changes: Parameters<typeof sample>[0] = {}): WebhookReport {
  return {
    summary: summaryOf(sample(changes)),
    now: Date.parse('2026-11-21T06:30:00Z'),
    path: 'history/weekly/2026-08-17..2026-11-16.html',
    link: 'https://reports.example/history/weekly/2026-08-17..2026-11-16.html?a=1&b=2|x',
    picture: 'https://reports.example/history/weekly/2026-08-17..2026-11-16.png',
  }
}

const loud = report({
  title: hostile,
  verdict: hostile,
  warnings: [hostile],
  kpis: [{ ...card, label: hostile, value: [{ text: hostile }] }],
})

const made = (style: WebhookStyle, one: WebhookReport = report()) =>
  JSON.parse(toWebhook(one, style)) as unknown

/** Block Kit: the blocks that are used, with the limits of docs.slack.dev/reference/block-kit. */
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
const slackMessage = z.strictObject({
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

/** The parts of adaptivecards.io/schemas/1.5.0/adaptive-card.json that are used, in the envelope of a Teams workflow. */
const textRun = z.strictObject({
  type: z.literal('TextRun'),
  text: z.string(),
  size: z.enum(['default', 'small', 'medium', 'large', 'extraLarge']).optional(),
  weight: z.enum(['default', 'lighter', 'bolder']).optional(),
  color: z.enum(['default', 'dark', 'light', 'accent', 'good', 'warning', 'attention']).optional(),
  isSubtle: z.boolean().optional(),
})
const teamsMessage = z.strictObject({
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

const schemas = { slack: slackMessage, teams: teamsMessage }

/** All texts of a message. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

describe.each(['slack', 'teams'] as const)('a message in the shape of %s', (style) => {
  test.each([
    ['an ordinary one', report()],
    ['one of hostile texts', loud],
    ['one without an address or a picture', { ...report(), link: null, picture: null }],
    ['one of nothing', { ...report({ kpis: [], verdict: '', warnings: [], gates: [] }), link: null }],
    [
      'one of endless texts',
      report({
        title: '\u{1f525}'.repeat(9_000),
        verdict: '\u{1f525}'.repeat(9_000),
        warnings: Array.from({ length: 99 }, () => '\u{1f525}'.repeat(9_000)),
        kpis: Array.from({ length: 30 }, () => ({
          ...card,
          label: '&'.repeat(5_000),
          value: [{ text: '\u{1f525}'.repeat(5_000) }],
        })),
      }),
    ],
  ])('%s is as the service documents it', (_, one) => {
    schemas[style].parse(made(style, one))
    // Teams says how large a message may be, Slack only how large its parts.
    expect(Buffer.byteLength(toWebhook(one, style))).toBeLessThan(style === 'teams' ? 28 * 1024 : 100_000)
  })

  test('says what the page says, and leads to it', () => {
    const all = textsOf(made(style)).join('\n')
    for (const part of [
      'Half were resolved within 5 h 47 min',
      '5 h 47 min · ▼ 12 % faster, better',
      '✓ goal under 8 h',
    ]) {
      expect(all).toContain(part)
    }
    expect(all).toContain('17 Aug – 15 Nov 2026 · All teams · Europe/Berlin')
    expect(all).toContain('https://reports.example/history/weekly/')
  })
})

test('text of the service calls nobody in Slack, and is no link or markup', () => {
  const message = slackMessage.parse(made('slack', loud))
  const marked = message.blocks.flatMap((block) =>
    block.type === 'section' ? [block.text, ...(block.fields ?? [])] : [],
  )
  const markup = [
    message.text,
    ...marked.flatMap((one) => (one?.type === 'mrkdwn' && one.verbatim ? [one.text] : [])),
  ]
  expect(markup).toHaveLength(3)
  for (const one of markup) {
    // What is left of markup is ours: a bold label, and the one link.
    const own = one
      .replace(/^\*([^*]*)\*\n/, '$1')
      .replace(/^<https:\/\/reports\.example[^|<>]*\|Open the report>$/, '')
    expect(own).not.toMatch(/[<>*_~`]|&(?!amp;|lt;|gt;)/)
  }
  // Everything else is plain text, in which Slack looks for nothing.
  expect(JSON.stringify(message.blocks[1])).toContain('plain_text')
})

test('text of the service is in no field of Teams that reads Markdown', () => {
  const [{ content }] = teamsMessage.parse(made('teams', loud)).attachments
  for (const block of content.body) {
    if (block.type !== 'RichTextBlock') continue
    for (const { text: one } of block.inlines) expect(one).not.toContain('{{')
  }
  expect(content.actions).toEqual([{ type: 'Action.OpenUrl', title: 'Open the report', url: loud.link }])
})

test('our own JSON keeps every field that it had', () => {
  const message = made('json')
  expect(Object.keys(message as object)).toEqual([
    ...[
      'event',
      'delivered_at',
      'report',
      'title',
      'verdict',
      'findings',
      'next',
      'period',
      'accounts',
      'teams',
      'severities',
    ],
    ...['as_of', 'coverage', 'is_empty', 'kpis', 'figures', 'gates', 'warnings', 'path', 'link', 'picture'],
  ])
  expect(message).toMatchObject({
    event: 'report',
    delivered_at: '2026-11-21T06:30:00.000Z',
    report: 'weekly',
  })
})
