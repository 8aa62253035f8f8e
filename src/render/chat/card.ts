import { shorten } from '../sanitize-text.ts'
import { FIGURES, kpiText, notesOf, type ReportSummary } from '../summary.ts'
import { NEXT, NOW } from '../text.ts'

export interface WebhookReport {
  readonly summary: ReportSummary
  /** Unix ms. */
  readonly now: number
  /** Path of the page in the reports folder. */
  readonly path: string
  /** Public URLs of the page (`link`) and of an image of its top (`picture`). */
  readonly link: string | null
  readonly picture: string | null
}

/** Content of a chat message. All texts are already shortened and escaped. */
export interface Card {
  /** Equals the subject line of the report’s mail. */
  readonly title: string
  readonly facts: string
  /** The lead, the next steps and the open incidents, one paragraph each. */
  readonly lead: readonly string[]
  readonly notes: readonly string[]
  readonly figures: readonly { readonly label: string; readonly value: string }[]
  readonly picture: string | null
  readonly link: string | null
}

/** A chat service’s messages. A message consists of parts, which are JSON objects or lines of markup. */
export interface Chat<Part> {
  readonly lengths: Readonly<Record<'title' | 'facts' | 'lead' | 'note' | 'label' | 'figure', number>>
  /** Maximum size of a message in bytes. If a message would be larger, its texts are shortened. */
  readonly bytes?: number
  /** Escapes markup. Undefined if the chat has no markup, or if the functions in `parts` escape it. */
  readonly inert?: (text: string) => string
  /** One function for each part of the card that is shown, in the order of the message. */
  readonly parts: { readonly [Name in keyof Card]?: (value: NonNullable<Card[Name]>, card: Card) => Part[] }
  message(parts: readonly Part[], card: Card): object
}

/** Fractions of the maximum lengths. The first fraction with which the message fits is used. */
const SHARES = [1, 1 / 2, 1 / 4, 1 / 8, 1 / 16]

export function messageIn<Part>(chat: Chat<Part>): (report: WebhookReport) => object {
  const most = chat.bytes ?? Number.POSITIVE_INFINITY
  return (report) => {
    const inShare = (share: number) => written(cardOf(report, chat, share), chat)
    const fits = (share: number) => Buffer.byteLength(JSON.stringify(inShare(share))) <= most
    return inShare(SHARES.find(fits) ?? SHARES.at(-1)!)
  }
}

function written<Part>(card: Card, { parts, message }: Chat<Part>): object {
  const names = Object.keys(parts) as (keyof Card)[]
  const all = names.flatMap((name) => {
    const value = card[name]
    const write = parts[name] as ((value: unknown, card: Card) => Part[]) | undefined
    return value === null || value.length === 0 ? [] : (write?.(value, card) ?? [])
  })
  return message(all, card)
}

function cardOf<Part>({ summary, link, picture }: WebhookReport, chat: Chat<Part>, share: number): Card {
  const { lengths, inert = (text) => text } = chat
  const cut = (text: string, length: keyof typeof lengths) =>
    inert(shorten(text, Math.max(1, Math.floor(lengths[length] * share))))
  return {
    title: cut(summary.subject, 'title'),
    facts: cut(summary.facts, 'facts'),
    lead: leadOf(summary).map((text) => cut(text, 'lead')),
    notes: notesOf(summary).map((note) => cut(`⚠ ${note}`, 'note')),
    figures: summary.kpis
      .slice(0, FIGURES)
      .map((kpi) => ({ label: cut(kpi.label, 'label'), value: cut(kpiText(kpi), 'figure') })),
    picture,
    link,
  }
}

function leadOf({ lead, next, open }: ReportSummary): string[] {
  return [...lead, next && `${NEXT} ${next}`, open && `${NOW} ${open}`].filter((text) => text !== '')
}
