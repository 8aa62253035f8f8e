import type { FindingsBlock, Inline, QueryResult } from '../../render/result.ts'
import { inlineText } from '../../render/text.ts'
import type { ChartBody, FindingTopic, TableBody } from '../parse/block-schema.ts'
import type { Report } from '../parse/parse.ts'
import { nextText } from './finding-steps.ts'
import { alsoText, type Finding, sentenceOf, standingText, waitingText } from './finding-words.ts'
import { knownParts } from './known-parts.ts'
import { type Card, comparing, type ReadFindings } from './read-findings.ts'
import { type ResolveContext, resolveText } from './resolve-text.ts'

const LEAD_MOST = 3
/** The findings of a report: lead, chart titles and file. */
export interface Findings {
  block: FindingsBlock
  /** The finding that names the report, for the subject of a mail. Null if there is none. */
  first: Finding | null
  /** Returns the sentence of the topic’s first finding whose subject the block shows, or null. */
  headlineOf(topic: FindingTopic, block: ChartBody | TableBody): readonly Inline[] | null
  /** Every finding with figures and sentence, including implied ones. Written to `findings.csv`. */
  table: Pick<QueryResult, 'columns' | 'rows'>
}

/** Removes the full stop, because a headline has none. */
export function withoutStop(sentence: readonly Inline[]): Inline[] {
  const last = sentence.at(-1)
  return last?.kind === 'text'
    ? sentence.with(-1, { ...last, text: last.text.replace(/\.$/, '') })
    : [...sentence]
}

/** Words the findings. @param found result of `readFindings`, with links to lists */
export function sayFindings(
  report: Report,
  { source, table, all, cards }: ReadFindings,
  known: ResolveContext,
): Findings {
  const { columns, rows } = table
  const key = columns.findIndex(({ name }) => name === 'key')
  const listed = all.filter(({ givesWay }) => !givesWay)
  const { lead, standing, waiting } = orderOf(listed, report)
  const red = redIn(all, lead)
  const { context } = known
  const unknown = !known.comparable && source.about.some((part) => comparing.includes(part))
  return {
    block: {
      kind: 'findings',
      lines: lead.map((one) => ({
        text: sentenceOf(one, context),
        section: sectionOf(one, report, cards, known),
      })),
      also: alsoText(red),
      standing: standingText(standing, context),
      open: waiting ? waitingText(waiting, context) : [],
      start:
        // `rest` covers open incidents itself.
        lead.length > 0 || report.front.about_open
          ? 'Overall: '
          : unknown
            ? 'No comparison, because data of the previous period is incomplete: '
            : // Only about changes: a missed objective, unacknowledged incidents or a team in need may follow.
              'No significant change: ',
      rest: resolveText(knownParts(source.rest, known), known),
      next: nextText([...lead, ...standing], context),
    },
    first: lead[0] ?? red[0] ?? null,
    headlineOf(topic, block) {
      const first = listed.find((one) => one.topic === topic && isShown(one, block, known))
      return first ? withoutStop(sentenceOf(first, context)) : null
    },
    table: {
      // The key only joins parts to wholes.
      columns: [...columns.filter((_, place) => place !== key), { name: 'sentence', type: 'VARCHAR' }],
      rows: rows.map((row, index) => [
        ...row.filter((_, place) => place !== key),
        inlineText(sentenceOf(all[index]!, context)),
      ]),
    },
  }
}

/**
 * Orders the findings. New ones of the period lead. Built-in objectives and repeated misses are known conditions, and
 * open incidents belong to the handover. Each subject appears once.
 */
function orderOf(listed: readonly Finding[], { front }: Report) {
  const isOpen = ({ kind }: Finding) => kind === 'unattended' || kind === 'ageing'
  const news = listed.filter((one) => !isStanding(one) && (front.about_open || !isOpen(one)))
  const lead = news
    .filter((one, place) => !news.slice(0, place).some((other) => isSame(other, one)))
    .slice(0, LEAD_MOST)
  return {
    lead,
    standing: listed.filter(isStanding),
    waiting: front.about_open ? undefined : listed.find(({ kind }) => kind === 'unattended'),
  }
}

/** Every red card is named. */
const redIn = (all: readonly Finding[], lead: readonly Finding[]) =>
  all.filter((one) => one.card && one.isWorse && !isStanding(one) && !lead.some((said) => isSame(said, one)))

const isSame = (one: Finding, other: Finding) =>
  one === other || (one.subject !== null && one.subject === other.subject)

/** Data topics that explain figures and are not changes. */
const NOTES = ['machine', 'unused']

const isStanding = ({ isDefault, isStanding: stands, kind, topic }: Finding) =>
  isDefault || stands || (kind === 'data' && NOTES.includes(topic))

/** Topics whose subjects appear by name in the evidence. */
const named = ['severities', 'teams', 'sources', 'acknowledge', 'resolve', 'nights']

/** Checks whether a block shows the subject of a finding. A chart of Critical and Warning is no evidence for Info. */
function isShown({ topic, subject }: Finding, block: ChartBody | TableBody, known: ResolveContext): boolean {
  if (subject === null || !named.includes(topic)) return true
  const { rows } = known.results.get(block.data)!
  const shown = 'limit' in block ? rows.slice(0, block.limit) : rows
  // An integration appears under its channel.
  return shown.some((row) =>
    row.some((cell) => typeof cell === 'string' && (cell === subject || subject.startsWith(`${cell}, `))),
  )
}

/** Returns the anchor of a finding’s evidence, or null: the first block of its topic, or the chart of its card. */
function sectionOf(
  finding: Finding,
  report: Report,
  cards: readonly Card[],
  known: ResolveContext,
): string | null {
  const blocks = report.pieces.flatMap((piece) => ('body' in piece ? [piece] : []))
  const own = blocks.find(({ body }) => body.finding === finding.topic)
  if (own) return isShown(finding, own.body, known) ? own.body.finding : null
  const trend = cards.find(({ card }) => card === finding.card)?.body.trend
  const drawn = blocks.find(
    (piece) =>
      piece.kind === 'chart' &&
      piece.body.finding !== null &&
      piece.body.data === trend?.query &&
      [piece.body.y].flat().includes(trend.column),
  )
  return drawn?.body.finding ?? null
}
