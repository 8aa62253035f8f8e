import { shorten } from './clean.ts'
import { type ReportSummary, type SummaryKpi, scopeOf } from './summary.ts'
import { verdictText } from './text.ts'

/** What a webhook gets: our own JSON, blocks for Slack, or an adaptive card for Teams. */
export type WebhookStyle = 'json' | 'slack' | 'teams'

/** A report as a message. */
export interface WebhookReport {
  readonly summary: ReportSummary
  /** Unix ms. */
  readonly now: number
  /** Path of the page in the folder of reports. */
  readonly path: string
  /** Addresses of the page and of a picture of its head, where people can reach them. */
  readonly link: string | null
  readonly picture: string | null
}

/**
 * The body of a webhook's message, JSON. Text of the service is never markup in it: Slack gets it as plain text, Teams as
 * text runs, which know none.
 */
export function toWebhook(report: WebhookReport, style: WebhookStyle): string {
  return JSON.stringify(shapes[style](report))
}

const shapes: Readonly<Record<WebhookStyle, (report: WebhookReport) => object>> = {
  json: ({ summary, now, path, link, picture }) => ({
    event: 'report',
    delivered_at: new Date(now).toISOString(),
    ...summary,
    path,
    link,
    picture,
  }),
  slack: slackMessage,
  teams: teamsMessage,
}

/** Slack refuses a message with a longer header, text or field, or with more fields in a block. */
const SLACK = { header: 150, text: 3_000, field: 2_000, fields: 10 }

function slackMessage({ summary, link, picture }: WebhookReport): object {
  const plain = (text: string, most = SLACK.text) => ({
    type: 'plain_text',
    text: shorten(text, most),
    emoji: false,
  })
  const section = (text: object) => ({ type: 'section', text })
  const markup = (text: string) => ({ type: 'mrkdwn', text, verbatim: true })
  const fields = summary.kpis
    .slice(0, SLACK.fields)
    .map((kpi) => markup(`*${slackText(shorten(kpi.label, 100))}*\n${slackText(shorten(kpiText(kpi), 250))}`))
  return {
    // For notifications. Here too `<!channel>` would call everybody.
    text: slackText(shorten(`${summary.title}: ${summary.verdict}`, 1_000)),
    mrkdwn: false,
    unfurl_links: false,
    blocks: [
      { type: 'header', text: plain(summary.title, SLACK.header) },
      ...(summary.verdict === '' ? [] : [section(plain(summary.verdict))]),
      ...notes(summary).map((note) => section(plain(`⚠ ${note}`))),
      ...(fields.length === 0 ? [] : [{ type: 'section', fields }]),
      ...(picture === null
        ? []
        : [{ type: 'image', image_url: picture, alt_text: shorten(summary.title, 200) }]),
      { type: 'context', elements: [plain(factsOf(summary), SLACK.field)] },
      ...(link === null ? [] : [section(markup(`<${slackAddress(link)}|Open the report>`))]),
    ],
  }
}

/** Entities for what begins a mention or a link, and look-alikes for what makes bold, italic, struck or code. */
function slackText(text: string): string {
  return text.replace(/[&<>*_~`]/g, (character) => SLACK_ESCAPES[character]!)
}

const SLACK_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '*': '\u2217',
  _: '\uff3f',
  '~': '\u223c',
  '`': '\u02cb',
}

/** In an address these would end the link. */
function slackAddress(link: string): string {
  return link.replace(/[|<>]/g, encodeURIComponent).replaceAll('&', '&amp;')
}

/** Teams refuses messages over 28 KB: in characters of four bytes these are 24. */
const TEAMS = { title: 150, facts: 300, verdict: 1_200, note: 250, label: 80, figure: 200 }

function teamsMessage({ summary, link, picture }: WebhookReport): object {
  const run = (text: string, most: number, changes: object = {}) => ({
    type: 'TextRun',
    // Two braces would begin a date to be formatted.
    text: shorten(text, most).replaceAll('{{', '{\u200b{'),
    ...changes,
  })
  const line = (...inlines: object[]) => ({ type: 'RichTextBlock', inlines })
  const body = [
    line(run(summary.title, TEAMS.title, { size: 'large', weight: 'bolder' })),
    line(run(factsOf(summary), TEAMS.facts, { isSubtle: true, size: 'small' })),
    ...(summary.verdict === '' ? [] : [line(run(summary.verdict, TEAMS.verdict))]),
    ...notes(summary).map((note) => line(run(`⚠ ${note}`, TEAMS.note, { color: 'warning' }))),
    ...summary.kpis
      .slice(0, SLACK.fields)
      .map((kpi) =>
        line(run(`${kpi.label}: `, TEAMS.label), run(kpiText(kpi), TEAMS.figure, { weight: 'bolder' })),
      ),
    ...(picture === null
      ? []
      : [{ type: 'Image', url: picture, altText: shorten(summary.title, TEAMS.title), size: 'stretch' }]),
  ]
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.5',
          fallbackText: shorten(summary.title, 200),
          body,
          ...(link !== null && {
            actions: [{ type: 'Action.OpenUrl', title: 'Open the report', url: link }],
          }),
          msteams: { width: 'Full' },
        },
      },
    ],
  }
}

/** Failed conditions and warnings, a few of them. */
function notes({ gates, warnings }: ReportSummary): string[] {
  const all = [...gates.map(({ message }) => message), ...warnings]
  const most = 5
  return all.length > most ? [...all.slice(0, most), `${all.length - most} more are on the page.`] : all
}

function kpiText({ value, change, target }: SummaryKpi): string {
  const parts = [
    value,
    change && verdictText(change),
    target &&
      (target.doubt
        ? `goal ${target.text}: ${target.doubt}`
        : `${target.met ? '✓' : '✗'} goal ${target.text}`),
  ]
  return parts.filter(Boolean).join(' · ')
}

function factsOf(summary: ReportSummary): string {
  const { period, as_of } = summary
  const asOf = `data as of ${as_of.slice(0, 16).replace('T', ' ')} UTC`
  return [period.label, ...scopeOf(summary), period.timezone, asOf].join(' · ')
}
