import { shorten } from '../sanitize-text.ts'
import { type ReportSummary, type SummaryKpi, scopeOf } from '../summary.ts'
import { verdictText } from '../text.ts'

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

/** A figure with what it is. */
export interface Figure {
  readonly label: string
  readonly value: string
}

/** What every chat is told of a report, its texts cut and inert. */
export interface Card {
  readonly title: string
  /** Period, scope, zone and age of the data. */
  readonly facts: string
  readonly verdict: string
  /** Failed conditions and warnings. */
  readonly notes: readonly string[]
  readonly figures: readonly Figure[]
  readonly picture: string | null
  readonly link: string | null
}

/** What a chat service accepts, and how it writes each part of a card. `Part`: an object of its JSON, or a line of its markup. */
export interface Chat<Part> {
  /** How many characters of a text are shown. */
  readonly lengths: Readonly<Record<'title' | 'facts' | 'verdict' | 'note' | 'label' | 'figure', number>>
  /** How large a message it takes: texts are cut shorter until it fits. Undefined where only its parts have limits. */
  readonly bytes?: number
  /** Takes what acts in its markup out of a text; undefined where none of its texts is markup, or not all of them. */
  readonly inert?: (text: string) => string
  /** The parts in the order of the message; one that it has in another place, or cannot show, is left out here. */
  readonly parts: { readonly [Name in keyof Card]?: (value: NonNullable<Card[Name]>, card: Card) => Part[] }
  message(parts: readonly Part[], card: Card): object
}

/** What is on the button of every card. */
export const OPEN = 'Open the report'

const FIGURES = 10
const NOTES = 5
/** Shares of the lengths, down to where the names and the link alone would fit. */
const SHARES = [1, 1 / 2, 1 / 4, 1 / 8, 1 / 16]

/** A report as a message of a chat. */
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
    title: cut(summary.title, 'title'),
    facts: cut(factsOf(summary), 'facts'),
    verdict: cut(summary.verdict, 'verdict'),
    notes: notesOf(summary).map((note) => cut(`⚠ ${note}`, 'note')),
    figures: summary.kpis
      .slice(0, FIGURES)
      .map((kpi) => ({ label: cut(kpi.label, 'label'), value: cut(kpiText(kpi), 'figure') })),
    picture,
    link,
  }
}

function notesOf({ gates, warnings }: ReportSummary): string[] {
  const all = [...gates.map(({ message }) => message), ...warnings]
  return all.length > NOTES ? [...all.slice(0, NOTES), `${all.length - NOTES} more are on the page.`] : all
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
