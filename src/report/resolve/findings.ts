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
/** What a report found: its lead, the headlines of its charts, and its file. */
export interface Findings {
  block: FindingsBlock
  /** The sentence of the first finding of a topic of which the block shows the subject; null where there is none. */
  headlineOf(topic: FindingTopic, block: ChartBody | TableBody): readonly Inline[] | null
  /** Every finding with its figures and its sentence, also those that give way; it becomes `findings.csv`. */
  table: Pick<QueryResult, 'columns' | 'rows'>
}

/** A headline has no full stop. */
export function withoutStop(sentence: readonly Inline[]): Inline[] {
  const last = sentence.at(-1)
  return last?.kind === 'text'
    ? sentence.with(-1, { ...last, text: last.text.replace(/\.$/, '') })
    : [...sentence]
}

/**
 * Says what was found.
 * @param found what `readFindings` read, with the lists that its numbers lead to
 */
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
        // What is open stands out or not by what `rest` says of it.
        lead.length > 0 || report.front.about_open
          ? 'In all: '
          : unknown
            ? 'Nothing to compare with yet: '
            : // Of changes alone: a goal, what waits or a team in need may follow.
              'No change stands out: ',
      rest: resolveText(knownParts(source.rest, known), known),
      next: nextText([...lead, ...standing], context),
    },
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
 * What leads, what stands below it, and what waits now. News of the period leads: a goal that was missed in both periods before
 * too, or that nobody set, is no news, and what is open now is the handover's. Of a subject one finding is enough.
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

/** A card that is red is never passed over. */
const redIn = (all: readonly Finding[], lead: readonly Finding[]) =>
  all.filter((one) => one.card && one.isWorse && !isStanding(one) && !lead.some((said) => isSame(said, one)))

/** Whether both speak of the same subject. */
const isSame = (one: Finding, other: Finding) =>
  one === other || (one.subject !== null && one.subject === other.subject)

/** Topics of data that say how the figures came about, and are no change. */
const NOTES = ['machine', 'unused']

const isStanding = ({ isDefault, isStanding: stands, kind, topic }: Finding) =>
  isDefault || stands || (kind === 'data' && NOTES.includes(topic))

/** Topics whose subjects have a name that stands in what proves them. */
const named = ['severities', 'teams', 'sources', 'acknowledge', 'resolve', 'nights']

/** Whether a block draws or lists what a finding speaks of: a chart of Critical and Warning proves nothing of Info. */
function isShown({ topic, subject }: Finding, block: ChartBody | TableBody, known: ResolveContext): boolean {
  if (subject === null || !named.includes(topic)) return true
  const { rows } = known.results.get(block.data)!
  const shown = 'limit' in block ? rows.slice(0, block.limit) : rows
  // An integration is shown where its channel is.
  return shown.some((row) =>
    row.some((cell) => typeof cell === 'string' && (cell === subject || subject.startsWith(`${cell}, `))),
  )
}

/** The block that proves a finding: the first of its topic, or the chart of its card's trend. Null where there is none. */
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
