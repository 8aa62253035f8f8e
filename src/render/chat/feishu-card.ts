import { OPEN } from '../../page/sentences/summary-sentences.ts'
import type { Chat } from './card.ts'

const plain = (content: string) => ({ tag: 'plain_text', content })

/** Feishu (Lark) custom bot: a card with plain text. Feishu cannot show an image from a URL. */
export const feishu: Chat<object> = {
  lengths: { title: 150, facts: 300, lead: 1_200, note: 250, label: 80, figure: 200 },
  // The limit for a message is 20 KB, including its signature.
  bytes: 19_000,
  parts: {
    lead: (texts) => texts.map((text) => ({ tag: 'div', text: plain(text) })),
    notes: (texts) => texts.map((text) => ({ tag: 'div', text: plain(text) })),
    figures: (figures) => [
      {
        tag: 'div',
        fields: figures.map(({ label, value }) => ({ is_short: true, text: plain(`${label}\n${value}`) })),
      },
    ],
    facts: (text) => [{ tag: 'note', elements: [plain(text)] }],
    link: (url) => [{ tag: 'action', actions: [{ tag: 'button', text: plain(OPEN), url, type: 'primary' }] }],
  },
  message: (elements, { title, notes }) => ({
    msg_type: 'interactive',
    card: {
      config: { wide_screen_mode: true },
      header: { title: plain(title), template: notes.length > 0 ? 'orange' : 'blue' },
      elements,
    },
  }),
}
