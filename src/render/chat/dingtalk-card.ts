import { OPEN } from '../../page/sentences/summary-sentences.ts'
import type { Chat } from './card.ts'
import { inertMarkdown, markdownAddress } from './escape-markup.ts'

/** DingTalk custom bot, which supports a subset of Markdown. */
export const dingtalk: Chat<string> = {
  lengths: { title: 150, facts: 300, lead: 1_200, note: 250, label: 80, figure: 200 },
  bytes: 20_000,
  inert: inertMarkdown,
  parts: {
    title: (text) => [`### ${text}`],
    facts: (text) => [`> ${text}`],
    lead: (texts) => [...texts],
    notes: (texts) => [...texts],
    figures: (figures) => [figures.map(({ label, value }) => `- ${label}: **${value}**`).join('\n')],
    picture: (address) => [`![](${markdownAddress(address)})`],
    link: (address) => [`[${OPEN}](${markdownAddress(address)})`],
  },
  message: (lines, { title }) => ({ msgtype: 'markdown', markdown: { title, text: lines.join('\n\n') } }),
}
