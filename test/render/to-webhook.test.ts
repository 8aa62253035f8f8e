import { describe, expect, test } from 'vitest'
import type { WebhookReport } from '../../src/render/chat/card.ts'
import { summaryOf } from '../../src/render/summary.ts'
import { toWebhook, type WebhookStyle } from '../../src/render/to-webhook.ts'
import {
  chatShapes,
  dingtalkMessage,
  feishuMessage,
  slackMessage,
  teamsMessage,
  wecomMessage,
} from '../support/chat-shapes.ts'
import { card, sample } from '../support/report-result.ts'

/** Text with markup, mentions or templates of Slack and Teams. */
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
  subject: { name: hostile, phrases: [] },
  verdict: hostile,
  warnings: [hostile],
  kpis: [{ ...card, label: hostile, value: [{ text: hostile }] }],
})

const made = (style: WebhookStyle, one: WebhookReport = report()) =>
  JSON.parse(toWebhook(one, style)) as unknown

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

const styles = Object.keys(chatShapes) as (keyof typeof chatShapes)[]

describe.each(styles)('a webhook message for %s', (style) => {
  test.each([
    ['an ordinary report', report()],
    ['a report with hostile texts', loud],
    ['a report without a link or a picture', { ...report(), link: null, picture: null }],
    ['an empty report', { ...report({ kpis: [], verdict: '', warnings: [], gates: [] }), link: null }],
    [
      'a report with extremely long texts',
      report({
        subject: { name: '\u{1f525}'.repeat(9_000), phrases: [] },
        verdict: '\u{1f525}'.repeat(9_000),
        warnings: Array.from({ length: 99 }, () => '\u{1f525}'.repeat(9_000)),
        kpis: Array.from({ length: 30 }, () => ({
          ...card,
          label: '&'.repeat(5_000),
          value: [{ text: '\u{1f525}'.repeat(5_000) }],
        })),
      }),
    ],
  ])('matches the schema and size limit of the chat service, for %s', (_, one) => {
    chatShapes[style].schema.parse(made(style, one))
    expect(Buffer.byteLength(toWebhook(one, style))).toBeLessThan(chatShapes[style].bytes)
  })

  test('contains the finding, the figures and a link to the report', () => {
    const all = textsOf(made(style)).join('\n')
    for (const part of [
      'Half were resolved within 5 h 47 min',
      'Weekly',
      '5 h 47 min · ▼ 12% faster, better',
      '✓ Objective: under 8 h',
    ]) {
      expect(all).toContain(part)
    }
    expect(all).toContain('17 Aug – 15 Nov 2026 (13 weeks) · Europe/Berlin · data as of 21 Nov 03:12')
    expect(all).toContain('https://reports.example/history/weekly/')
  })
})

test('a WeCom message with long texts shortens each text instead of dropping one', () => {
  const long = report({
    verdict: '火'.repeat(4_000),
    warnings: Array.from({ length: 5 }, () => '慢'.repeat(400)),
    kpis: Array.from({ length: 4 }, (_, at) => ({ ...card, label: `指标 ${at} ${'标'.repeat(200)}` })),
  })
  const { content } = wecomMessage.parse(made('wecom', long)).markdown
  for (const kept of ['火', '慢', '指标 3', '5 h 47 min', 'Open the report']) expect(content).toContain(kept)
  expect(Buffer.byteLength(content)).toBeGreaterThan(1_500)
})

test('hostile alert text in a Slack message cannot mention people, add links or format text', () => {
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
    // Remove our own markup, a bold label and the link.
    const own = one
      .replace(/^\*([^*]*)\*\n/, '$1')
      .replace(/^<https:\/\/reports\.example[^|<>]*\|Open the report>$/, '')
    expect(own).not.toMatch(/[<>*_~`]|&(?!amp;|lt;|gt;)/)
  }
  // Slack does not interpret plain text.
  expect(JSON.stringify(message.blocks[1])).toContain('plain_text')
})

test('hostile alert text in a Teams message cannot use templates or add links', () => {
  const [{ content }] = teamsMessage.parse(made('teams', loud)).attachments
  for (const block of content.body) {
    if (block.type !== 'RichTextBlock') continue
    for (const { text: one } of block.inlines) expect(one).not.toContain('{{')
  }
  expect(content.actions).toEqual([{ type: 'Action.OpenUrl', title: 'Open the report', url: loud.link }])
})

test('a Feishu message shows hostile alert text as plain text', () => {
  const { card: shown } = feishuMessage.parse(made('feishu', loud))
  expect(shown.header.title.content).toBe(loud.summary.subject)
  expect(JSON.stringify(shown)).toContain(JSON.stringify(hostile).slice(1, -1))
  expect(shown.header.template).toBe('orange')
  expect(JSON.stringify(shown)).not.toContain('lark_md')
})

test.each([
  ['DingTalk', () => dingtalkMessage.parse(made('dingtalk', loud)).markdown.text],
  ['WeCom', () => wecomMessage.parse(made('wecom', loud)).markdown.content],
])('hostile alert text in a %s message cannot mention people, add links or format text', (_, made) => {
  const own = made()
    // Remove our own markup.
    .replaceAll(/<font color="(comment|warning)">|<\/font>/g, '')
    .replaceAll(/^(### |> |- )/gm, '')
    .replaceAll(/\*\*([^*]*)\*\*$/gm, '$1')
    .replace(/^!\[\]\(https:\/\/reports\.example[^()[\]<>\s]*\)$/m, '')
    .replace(/^\[Open the report\]\(https:\/\/reports\.example[^()[\]<>\s]*\)$/m, '')
  expect(own).not.toMatch(/[<>*_~`#[\]|\\&]|:\/\//)
  expect(own).toContain('channel')
})

test('a webhook message in the format `json` has a fixed list of fields', () => {
  const message = made('json')
  const fields = `event delivered_at report title subject opening headline lead verdict findings next open urgent open_url period facts accounts
    teams severities as_of coverage is_empty kpis figures gates warnings path link picture`
  expect(Object.keys(message as object)).toEqual(fields.split(/\s+/))
  expect(message).toMatchObject({
    event: 'report',
    delivered_at: '2026-11-21T06:30:00.000Z',
    report: 'weekly',
  })
})
