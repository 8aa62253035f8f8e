import { OPEN } from '../../page/sentences/summary-sentences.ts'
import type { Chat } from './card.ts'

const run = (text: string, changes: object = {}) => ({ type: 'TextRun', text, ...changes })
const line = (...inlines: object[]) => ({ type: 'RichTextBlock', inlines })

/** Teams workflow: an adaptive card. Teams does not interpret Markdown in the text runs of a card. */
export const teams: Chat<object> = {
  // Even if every character takes four bytes, the texts need only 24 KB.
  lengths: { title: 150, facts: 300, lead: 1_200, note: 250, label: 80, figure: 200 },
  bytes: 28 * 1_024,
  // Teams would interpret two braces as the start of a date function.
  inert: (text) => text.replaceAll('{{', '{\u200b{'),
  parts: {
    title: (text) => [line(run(text, { size: 'large', weight: 'bolder' }))],
    facts: (text) => [line(run(text, { isSubtle: true, size: 'small' }))],
    lead: (texts) => texts.map((text) => line(run(text))),
    notes: (texts) => texts.map((text) => line(run(text, { color: 'warning' }))),
    figures: (figures) =>
      figures.map(({ label, value }) => line(run(`${label}: `), run(value, { weight: 'bolder' }))),
    picture: (url, { title }) => [{ type: 'Image', url, altText: title, size: 'stretch' }],
  },
  message: (body, { title, link }) => ({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.5',
          fallbackText: title,
          body,
          ...(link !== null && { actions: [{ type: 'Action.OpenUrl', title: OPEN, url: link }] }),
          msteams: { width: 'Full' },
        },
      },
    ],
  }),
}
