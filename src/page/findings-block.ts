import type { Finding } from '../judge/finding.ts'
import { countedByFinding } from '../judge/finding-incidents.ts'
import { comparing, type ReadFindings } from '../judge/findings.ts'
import type { FindingsBlock, Inline, KpiCard, QueryResult } from '../render/result.ts'
import { inlineText } from '../render/text.ts'
import type { ChartBody, FindingTopic, KpiBody, TableBody } from '../report/parse/block-schema.ts'
import type { Report } from '../report/parse/parse.ts'
import { type ResolveContext, resolveText } from './draw-text.ts'
import { knownParts } from './drop-missing-values.ts'
import type { FoundLists } from './incident-lists.ts'
import { nextText } from './sentences/finding-actions.ts'
import { alsoText, type SaidFinding, sentenceOf, waitingText } from './sentences/finding-sentences.ts'

const LEAD_MOST = 3
/** The findings of a report, as used for the lead, the chart titles and the file. */
export interface SaidFindings {
  block: FindingsBlock
  /** The finding that the subject of a mail names. */
  first: SaidFinding | null
  /** Returns the sentence of the topic’s first finding about a subject that the block shows, or null. */
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

/** Adds the drawn cards and the incident lists to findings. A finding about a card links to the card’s list. */
function shownWith(
  { card: figure, ...one }: Finding,
  cards: ReadonlyMap<KpiBody[number], KpiCard>,
  { listOf }: Pick<FoundLists, 'listOf'>,
): SaidFinding {
  const card = figure && cards.get(figure.body)!
  if (card) return { ...one, card, trend: figure.body.trend, list: card.link ?? null }
  const { now, before } = countedByFinding(one)
  return { ...one, card, list: listOf(now), listBefore: listOf(before) }
}

/** Puts the findings into sentences. */
export function sayFindings(
  report: Report,
  found: ReadFindings,
  known: ResolveContext,
  cards: ReadonlyMap<KpiBody[number], KpiCard>,
  lists: Pick<FoundLists, 'listOf'>,
): SaidFindings {
  const { source, table } = found
  const all = found.all.map((one) => shownWith(one, cards, lists))
  const { columns, rows } = table
  const key = columns.findIndex(({ name }) => name === 'key')
  const listed = all.filter(({ givesWay }) => !givesWay)
  const { lead, waiting } = orderOf(listed, report)
  const red = redIn(all, lead)
  const { context } = known
  const unknown = !known.comparable && source.about.some((part) => comparing.includes(part))
  return {
    block: {
      kind: 'findings',
      lines: lead.map((one) => ({
        text: sentenceOf(one, context),
        section: sectionOf(one, report, known),
      })),
      also: alsoText(red),
      open: waiting ? waitingText(waiting, context) : [],
      start:
        // For a report about open incidents, `rest` already mentions them.
        lead.length > 0 || report.front.about_open
          ? 'Overall: '
          : unknown
            ? 'No comparison, because data of the previous period is incomplete: '
            : // Only mentions changes, because a missed objective, unacknowledged incidents or a team in need may follow.
              'No significant change: ',
      rest: resolveText(knownParts(source.rest, known), known),
      next: nextText(lead, context),
    },
    first: lead[0] ?? red[0] ?? null,
    headlineOf(topic, block) {
      const first = listed.find((one) => one.topic === topic && isShown(one, block, known))
      return first ? withoutStop(sentenceOf(first, context)) : null
    },
    table: {
      // The column `key` is only needed to match parts with wholes.
      columns: [...columns.filter((_, place) => place !== key), { name: 'sentence', type: 'VARCHAR' }],
      rows: rows.map((row, index) => [
        ...row.filter((_, place) => place !== key),
        inlineText(sentenceOf(all[index]!, context)),
      ]),
    },
  }
}

/**
 * Chooses the findings of the lead, by class: what needs action now, then data problems, changes, standing facts and
 * good news. One place is reserved for a standing fact or good news, if there is one. Open incidents belong to the handover. Each subject appears once.
 */
function orderOf(listed: readonly SaidFinding[], { front }: Report) {
  const isOpen = ({ kind }: SaidFinding) => kind === 'unattended' || kind === 'ageing'
  const news = listed.filter((one) => front.about_open || !isOpen(one))
  // An objective that one slow team misses for all follows that team.
  const slow = new Set(news.filter(({ kind }) => kind === 'apart').map(({ subject }) => subject))
  const classed = (one: SaidFinding) =>
    one.kind === 'goal' && one.detail !== null && slow.has(one.detail) ? 'standing' : classOf(one)
  const byClass = classes.flatMap((name) => news.filter((one) => classed(one) === name))
  const once = byClass.filter((one, place) => !byClass.slice(0, place).some((other) => isSame(other, one)))
  const [urgent, changes, others] = [['action', 'data'], ['change'], ['standing', 'good']].map((names) =>
    once.filter((one) => names.includes(classed(one))),
  ) as [SaidFinding[], SaidFinding[], SaidFinding[]]
  const most = LEAD_MOST - Math.min(1, others.length)
  const first = [...urgent, ...changes].slice(0, Math.max(most, urgent.length))
  return {
    lead: [...first, ...others].slice(0, LEAD_MOST),
    waiting: front.about_open ? undefined : listed.find(({ kind }) => kind === 'unattended'),
  }
}

const classes = ['action', 'data', 'change', 'standing', 'good'] as const

/**
 * Returns the class of a finding. If no incident was ever acknowledged, that is a fact about the company, not a problem
 * with the data.
 */
function classOf({ kind, topic, isStanding, isWorse }: SaidFinding): (typeof classes)[number] {
  if (kind === 'unattended') return 'action'
  if (topic !== 'unused' && ['data', 'gap', 'renamed'].includes(kind)) return 'data'
  if (isStanding || topic === 'unused' || kind === 'concentrated') return 'standing'
  return isWorse ? 'change' : 'good'
}

/** Selects red cards that are not in the lead, so that every red card is named. */
const redIn = (all: readonly SaidFinding[], lead: readonly SaidFinding[]) =>
  all.filter((one) => one.card && one.isWorse && !lead.some((said) => isSame(said, one)))

const isSame = (one: SaidFinding, other: SaidFinding) =>
  one === other || (one.subject !== null && one.subject === other.subject)

/** Topics whose subjects appear by name in the evidence. */
const named = ['severities', 'teams', 'sources', 'acknowledge', 'resolve', 'nights']

/**
 * Checks whether a block shows the subject of a finding. For example, a chart of Critical and Warning shows nothing about
 * Info.
 */
function isShown(
  { kind, topic, subject, within }: SaidFinding,
  block: ChartBody | TableBody,
  known: ResolveContext,
): boolean {
  // The report of a company names no person, so the evidence for nights contains the team instead.
  const name = topic === 'nights' ? within : subject
  if (name === null || kind === 'new' || !named.includes(topic)) return true
  const { rows } = known.results.get(block.data)!
  const shown = 'limit' in block ? rows.slice(0, block.limit) : rows
  // A chart shows an integration under its channel.
  return shown.some((row) =>
    row.some((cell) => typeof cell === 'string' && (cell === name || name.startsWith(`${cell}, `))),
  )
}

/**
 * Returns the anchor of a finding’s evidence, which is the first block of its topic or the chart of its card. Null if there
 * is neither.
 */
function sectionOf(finding: SaidFinding, report: Report, known: ResolveContext): string | null {
  const blocks = report.pieces.flatMap((piece) => ('body' in piece ? [piece] : []))
  const own = blocks.find(({ body }) => body.finding === finding.topic)
  if (own) return isShown(finding, own.body, known) ? own.body.finding : null
  const drawn = blocks.find(
    (piece) =>
      piece.kind === 'chart' &&
      piece.body.finding !== null &&
      piece.body.data === finding.trend?.query &&
      [piece.body.y].flat().includes(finding.trend.column),
  )
  return drawn?.body.finding ?? null
}
