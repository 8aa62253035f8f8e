import { OPEN } from '../../page/sentences/summary-sentences.ts'
import { shorten } from '../sanitize-text.ts'
import type { Chat } from './card.ts'
import { withLookAlikes } from './escape-markup.ts'

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false })
const markup = (text: string) => ({ type: 'mrkdwn', text, verbatim: true })
const section = (text: object) => ({ type: 'section', text })

/** Slack incoming webhook with Block Kit. Slack rejects texts that are longer than `lengths`. */
export const slack: Chat<object> = {
  lengths: { title: 150, facts: 2_000, lead: 3_000, note: 3_000, label: 100, figure: 250 },
  parts: {
    title: (text) => [{ type: 'header', text: plain(text) }],
    lead: (texts) => texts.map((text) => section(plain(text))),
    notes: (texts) => texts.map((text) => section(plain(text))),
    figures: (figures) => [
      {
        type: 'section',
        fields: figures.map(({ label, value }) => markup(`*${inertSlack(label)}*\n${inertSlack(value)}`)),
      },
    ],
    picture: (address, { title }) => [{ type: 'image', image_url: address, alt_text: title }],
    facts: (text) => [{ type: 'context', elements: [plain(text)] }],
    link: (address) => [section(markup(`<${slackAddress(address)}|${OPEN}>`))],
  },
  message: (blocks, { title, lead }) => ({
    // Notifications show this text. If it were not escaped, `<!channel>` would notify everybody.
    text: inertSlack(shorten([title, ...lead].join('\n'), 1_000)),
    mrkdwn: false,
    unfurl_links: false,
    blocks,
  }),
}

function inertSlack(text: string): string {
  return withLookAlikes(text, /[*_~`]/g).replace(/[&<>]/g, (character) => ENTITIES[character]!)
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

function slackAddress(link: string): string {
  return link.replace(/[|<>]/g, encodeURIComponent).replaceAll('&', '&amp;')
}
