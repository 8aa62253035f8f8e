import { numberOf } from '../../render/format.ts'
import type { FindingsBlock, Inline, KpiCard, QueryResult, Value } from '../../render/result.ts'
import { inlineText } from '../../render/text.ts'
import { literal } from '../../warehouse/quote.ts'
import { objectsOf } from '../../warehouse/read/objects-of.ts'
import type { Session } from '../../warehouse/read/session.ts'
import type { ChartBody, FindingPart, FindingTopic, KpiBody, TableBody } from '../parse/block-schema.ts'
import type { Place } from '../parse/mistakes.ts'
import { type BlockSource, cardsOf, type Report } from '../parse/parse.ts'
import type { OpenFrame } from '../scope/frame.ts'
import { frameSql } from '../scope/frame-sql.ts'
import { comparedIn } from './change.ts'
import { cell, pairOf } from './figure.ts'
import { alsoText, type Finding, nextText, sentenceOf } from './finding-words.ts'
import { knownParts } from './known-parts.ts'
import { limitOf, resolveKpi } from './resolve-kpi.ts'
import { type ResolveContext, resolveText } from './resolve-text.ts'

const LEAD_MOST = 3
/** Parts that hold one period against the other. */
const comparing: readonly FindingPart[] = ['counts', 'times']

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

/** The block that leads a report with what it found. */
export function findingsSource(report: Report): Extract<BlockSource, { kind: 'findings' }> | undefined {
  return report.pieces.find((piece) => piece.kind === 'findings')
}

/** The queries of `reports/frame/` that a report's findings come from. */
export function findingQueries(report: Report): string[] {
  return findingsSource(report)?.about.map(queryOf) ?? []
}

const queryOf = (part: FindingPart) => frameSql(`findings-${part}`)

/** Asks `findings` of `sql/` what is worth saying of the incidents of a report, and of its cards. Null without a block for it. */
export async function findingsOf(
  session: Session,
  report: Report,
  open: OpenFrame,
  known: ResolveContext,
): Promise<Findings | null> {
  const source = findingsSource(report)
  if (!source) return null
  const cards = cardsOf(report).map(({ card: body, at }) => ({ body, at, card: resolveKpi(body, at, known) }))
  const parts = source.about.filter((part) => open.comparable || !comparing.includes(part))
  const candidates = [
    'from no_candidates',
    ...parts.map((part) => `from (\n${queryOf(part)}\n)`),
    ...cards.flatMap((each, index) => cardSql(index, each, known)),
  ].join('\nunion all by name\n')
  const { columns, rows } = await session.query(
    `with candidates as (\n${candidates}\n)\nfrom findings('candidates') order by place`,
    open.bound,
  )
  const all = objectsOf({ columns, rows }).map((row) => findingOf(row, cards))
  const key = columns.findIndex(({ name }) => name === 'key')
  const listed = all.filter(({ givesWay }) => !givesWay)
  const lead = listed.slice(0, LEAD_MOST)
  // A card that is red is never passed over.
  const red = all.filter((one) => one.card && one.isWorse && !lead.includes(one))
  const { context } = known
  const unknown = !open.comparable && source.about.some((part) => comparing.includes(part))
  return {
    block: {
      kind: 'findings',
      lines: lead.map((one) => ({
        text: sentenceOf(one, context),
        section: sectionOf(one, report, cards, known),
      })),
      also: alsoText(red),
      start:
        // What is open stands out or not by what `rest` says of it.
        lead.length > 0 || report.front.about_open
          ? 'In all: '
          : unknown
            ? 'Nothing to compare with yet: '
            : 'Nothing stands out: ',
      rest: resolveText(knownParts(source.rest, known), known),
      next: nextText(lead, context),
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

interface Card {
  body: KpiBody[number]
  at: Place
  card: KpiCard
}

/** A card as rows of candidates: that it changed (which 99 % spoke for already), and that it misses its target. */
function cardSql(index: number, { body, at, card }: Card, known: ResolveContext): string[] {
  const { query, column } = body.value
  const result = known.results.get(query)!
  const judged = known.figures.of(body.value)
  const pair = pairOf(result, at)
  const value = numberOf(cell(result, pair.now, column)) ?? 0
  const before = judged ? comparedIn(result, column, pair, judged).before : null
  const number = (figure: number | null | undefined) =>
    figure == null || !Number.isFinite(figure) ? 'null' : `${figure}::double`
  const row = (kind: string, of: string, isWorse: boolean) =>
    `select '${kind}' as kind, 'cards' as topic, '${kind} of card ${index}' as key, ${literal(card.label)} as subject,
      ${of}, ${number(card.n ?? value)} as n, ${isWorse} as is_worse`
  const { change, target } = card
  const ratio = (moved: number | null | undefined) =>
    number(judged?.measure === 'share' || moved == null ? null : 1 + moved)
  const shift = `${number(value)} as value, ${number(before)} as before, ${ratio(judged?.moved)} as estimate,
    ${ratio(judged?.movedInterval?.[0])} as low, ${ratio(judged?.movedInterval?.[1])} as high`
  return [
    ...(change && change.tone !== 'same' ? [row('shift', shift, change.tone === 'worse')] : []),
    ...(target && !target.met && !target.isNoise
      ? [row('goal', `${number(value)} as value, ${number(limitOf(body, at, known))} as before`, true)]
      : []),
  ]
}

function findingOf(row: Record<string, Value>, cards: readonly Card[]): Finding {
  const text = (value: Value | undefined) => (typeof value === 'string' ? value : null)
  return {
    kind: String(row.kind),
    // What an integration of a channel does is shown where channels are.
    topic: row.topic === 'integrations' ? 'sources' : String(row.topic),
    subject: text(row.subject),
    within: text(row.within),
    value: numberOf(row.value),
    before: numberOf(row.before),
    estimate: numberOf(row.estimate),
    isWorse: row.is_worse === true,
    detail: text(row.detail),
    amount: numberOf(row.amount),
    isTested: row.q !== null,
    givesWay: row.gives_way === true,
    card: row.topic === 'cards' ? cards[Number(/\d+$/.exec(String(row.key))![0])]!.card : null,
  }
}

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
