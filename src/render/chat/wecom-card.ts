import { OPEN } from '../../page/sentences/summary-sentences.ts'
import type { Chat } from './card.ts'
import { inertMarkdown, markdownAddress } from './escape-markup.ts'

/** WeCom group bot, which supports limited Markdown. It cannot show an image from a URL. */
export const wecom: Chat<string> = {
  lengths: { title: 100, facts: 200, lead: 600, note: 150, label: 60, figure: 120 },
  bytes: 4_096,
  inert: inertMarkdown,
  parts: {
    title: (text) => [`### ${text}`],
    facts: (text) => [`> <font color="comment">${text}</font>`, ''],
    lead: (texts) => [...texts],
    notes: (texts) => texts.map((text) => `<font color="warning">${text}</font>`),
    figures: (figures) => figures.map(({ label, value }) => `${label}: **${value}**`),
    link: (address) => [`[${OPEN}](${markdownAddress(address)})`],
  },
  message: (lines) => ({ msgtype: 'markdown', markdown: { content: lines.join('\n') } }),
}
