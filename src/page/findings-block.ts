import type { Finding } from '../judge/finding.ts'
import { countedByFinding } from '../judge/finding-incidents.ts'
import { comparing, type ReadFindings } from '../judge/findings.ts'
import { isIncomplete } from '../judge/incomplete.ts'
import { cellsOf } from '../render/cells.ts'
import { countText, type FormatContext, plain } from '../render/format.ts'
import type { FindingsBlock, Frame, Inline, KpiCard, QueryResult } from '../render/result.ts'
import { shorten } from '../render/sanitize-text.ts'
import { capital, inlineText } from '../render/text.ts'
import type { ChartBody, FindingTopic, KpiBody, TableBody } from '../report/parse/block-schema.ts'
import type { Report } from '../report/parse/parse.ts'
import { type ChosenLead, chooseLead, classOf, isByTeam, redIn, worseTeamOf } from './choose-lead.ts'
import { type ResolveContext, resolveText } from './draw-text.ts'
import { knownParts } from './drop-missing-values.ts'
import type { FoundLists } from './incident-lists.ts'
import { nextText } from './sentences/finding-actions.ts'
import { alsoText, sentenceOf, waitingText } from './sentences/finding-sentences.ts'
import { mayBeChance, NO_CHANGE, NO_COMPARISON, restText } from './sentences/lead-sentences.ts'
import { gapOfMonth, monthBefore, monthSentence } from './sentences/month-sentence.ts'
import { NAME_MAX, type SaidFinding } from './sentences/sentence-parts.ts'
import { findingPhrases } from './sentences/subject-sentences.ts'

/** The findings of a report in words, for the lead, the chart titles and `findings.csv`. */
export interface SaidFindings {
  block: FindingsBlock
  /** All findings that no other finding implies. */
  listed: readonly SaidFinding[]
  /** The findings of the sentences of the lead, in their order. */
  lead: readonly SaidFinding[]
  /** The finding used as the subject of a mail. */
  first: SaidFinding | null
  /** Returns the first finding on the topic whose subject the block shows, in a few words. Null if there is none. */
  headlineOf(topic: FindingTopic, block: ChartBody | TableBody): string | null
  /** Every candidate with its class, its figures, and the reason why it is or is not in the lead. See `findings.csv`. */
  table: Pick<QueryResult, 'columns' | 'rows'>
}

/** A finding about a card links to the incident list of this card. Other findings have separate lists. */
function shownWith(
  { card: figure, ...one }: Finding,
  cards: ReadonlyMap<KpiBody[number], KpiCard>,
  { listOf }: Pick<FoundLists, 'listOf'>,
): SaidFinding {
  const card = figure && cards.get(figure.body)!
  if (card) {
    const { link: list = null, listBefore = null } = card
    return { ...one, card, trend: figure.body.trend, list, listBefore }
  }
  const { now, before, cause } = countedByFinding(one)
  return { ...one, card, list: listOf(now), listBefore: listOf(before), listCause: listOf(cause) }
}
/** @param month period of a report about a month with enough incidents to judge it, or null */
export function sayFindings(
  report: Report,
  found: ReadFindings,
  known: ResolveContext,
  cards: ReadonlyMap<KpiBody[number], KpiCard>,
  lists: Pick<FoundLists, 'listOf'>,
  month: Frame | null,
): SaidFindings {
  const { source } = found
  const all = found.all.map((one) => shownWith(one, cards, lists))
  const listed = all.filter(({ givesWay }) => !givesWay)
  const { context } = known
  const { lead, reasons } = chooseLead(listed, report, source.topics)
  const waiting = listed.find(({ kind }) => kind === 'unattended')
  const open = report.front.about_open || !waiting || lead.includes(waiting) ? [] : [waiting]
  const missing = listed.find(
    (one) => classOf(one) === 'data' && !['renamed', 'moved'].includes(one.kind) && one.topic !== 'machine',
  )
  const urgent = waiting ? waitingText(waiting, context) : missing ? sentenceOf(missing, context) : []
  const [first] = cards
  const opening = month && first ? openingOf(report, month, known, first, lead) : []
  const red = redIn(all, lead).filter(
    ({ kind, card }) => opening.length === 0 || kind !== 'shift' || card !== first![1],
  )
  const rest = resolveText(knownParts(source.rest, known), known)
  // A report about open incidents begins with what needs action: an incident, or else the number of incidents.
  const isCounted = report.front.about_open && !lead.some((one) => classOf(one) === 'action')
  // Counts follow a data problem. They are all that is known of a period with little data.
  const isAfter =
    lead.length > 0 && (isCounted ? lead.some((one) => classOf(one) === 'data') : lead.every(isIncomplete))
  const isSaid = isCounted || lead.length + opening.length + red.length > 0
  const isTeams = isByTeam(report)
  const lineOf = (one: SaidFinding) =>
    isTeams ? teamSentence(one, context) : leadSentence(one, month, first, known)
  return {
    ...{ listed, lead },
    block: {
      kind: 'findings',
      opening: isCounted && !isAfter ? rest : opening,
      lines: lead.map((one) => ({
        text: lineOf(one),
        section: sectionOf(one, report, known),
      })),
      also: alsoText(red),
      urgent,
      open: open.flatMap((one) => waitingText(one, context, month === null)),
      rest: isAfter ? withCapital(rest) : isSaid ? [] : nothingFound(source, known, cards, rest),
      next: nextText(lead, context),
    },
    // Incomplete data is marked elsewhere in the subject.
    first: lead.find((one) => !isIncomplete(one)) ?? red[0] ?? null,
    headlineOf(topic, block) {
      const shown = listed.find((one) => one.topic === topic && isShown(one, block, known))
      return shown ? capital(findingPhrases(shown, context)[0]!) : null
    },
    table: tableOf(found, all, { reasons, below: [...red, ...open] }, lineOf),
  }
}

/** Returns the sentence of a finding for a report by team, which names the team that owns a channel. */
function teamSentence(one: SaidFinding, context: FormatContext): Inline[] {
  const sentence = one.kind === 'unattended' ? waitingText(one, context) : sentenceOf(one, context)
  const team = shorten(worseTeamOf(one) ?? '', NAME_MAX)
  return inlineText(sentence).includes(team) ? sentence : [{ kind: 'text', text: `${team}: ` }, ...sentence]
}

/** Returns all candidates as a table. The table of `found` has the rows of `all`, and then those of other candidates. */
function tableOf(
  { table, others }: ReadFindings,
  all: readonly SaidFinding[],
  { reasons, below }: Pick<ChosenLead, 'reasons'> & { below: readonly SaidFinding[] },
  lineOf: (one: SaidFinding) => Inline[],
): SaidFindings['table'] {
  // Omits the columns that only the program needs.
  const isPublic = (name: string) => !['key', 'is_sure', 'reason'].includes(name)
  const text = (name: string) => ({ name, type: 'VARCHAR' })
  return {
    columns: [
      text('class'),
      ...table.columns.filter(({ name }) => isPublic(name)),
      text('reason'),
      text('sentence'),
    ],
    rows: table.rows.map((row, index) => {
      const one = all[index]
      const candidate = one ?? others[index - all.length]!
      const reason = one && (below.includes(one) ? 'below the lead' : reasons.get(one))
      return [
        classOf(candidate),
        ...row.filter((_, place) => isPublic(table.columns[place]!.name)),
        reason ?? candidate.reason ?? 'in the lead',
        one ? inlineText(lineOf(one)) : null,
      ]
    }),
  }
}

/** Returns the sentence of a finding. About a data gap, a monthly report adds that the month is not comparable. */
function leadSentence(
  one: SaidFinding,
  month: Frame | null,
  first: readonly [KpiBody[number], KpiCard] | undefined,
  { figures, context }: ResolveContext,
): Inline[] {
  const sentence = sentenceOf(one, context)
  const isGap = one.kind === 'data' && one.topic === 'counts'
  const isSuspended = first !== undefined && figures.of(first[0].value)?.verdict.code === 'silence'
  return month !== null && isGap && isSuspended ? gapOfMonth(month, sentence) : sentence
}

/** Says that nothing was found. Names the first card with a large change that may be chance. */
function nothingFound(
  { about }: ReadFindings['source'],
  { comparable, figures, few }: ResolveContext,
  cards: ReadonlyMap<KpiBody[number], KpiCard>,
  rest: readonly Inline[],
): readonly Inline[] {
  if (few && rest.length > 0) return withCapital(rest)
  if (!comparable && about.some((part) => comparing.includes(part))) return restText(NO_COMPARISON, rest)
  const [far] = [...cards].flatMap(([body, card]) => {
    const verdict = figures.of(body.value)?.verdict
    return verdict?.code === 'unclear' && verdict.isFar ? card : []
  })
  return far ? mayBeChance(far) : restText(notCompared(cards) ?? NO_CHANGE, rest)
}

/** Returns the reason if no card is compared, such as `Too short to compare`, and otherwise null. */
function notCompared(cards: ReadonlyMap<KpiBody[number], KpiCard>): string | null {
  const changes = [...cards.values()].flatMap(({ change }) => change ?? [])
  const [first] = changes
  return first && changes.every(({ previous }) => previous === null) ? capital(first.verdict) : null
}

/** Returns the judgment of the month by the first card. A data problem or a finding about this card replaces it. */
function openingOf(
  report: Report,
  month: Frame,
  known: ResolveContext,
  [body, card]: readonly [KpiBody[number], KpiCard],
  lead: readonly SaidFinding[],
): readonly Inline[] {
  const figure = known.figures.of(body.value)
  const isSuperseded = lead.some((one) => one.card === card || classOf(one) === 'data')
  if (isSuperseded || figure?.measure !== 'count') return []
  return monthSentence(month, card, figure.verdict, wholeMonths(report, known, [body, card], month))
}

/**
 * Returns the counts of the whole months up to this month, from the chart of the same metric by month. Empty without
 * such a chart, or if its count of this month is not that of the card.
 */
function wholeMonths(
  { pieces }: Report,
  { results }: ResolveContext,
  [{ value }, card]: readonly [KpiBody[number], KpiCard],
  { from }: Frame,
): number[] {
  const [data] = pieces.flatMap((piece) => {
    if (piece.kind !== 'chart' || !('x' in piece.body) || piece.body.x !== 'month') return []
    return piece.body.y === value.column ? results.get(piece.body.data)! : []
  })
  if (!data) return []
  const { number, text, isTrue } = cellsOf(data)
  const counts = new Map<string, number>()
  for (const row of data.rows.filter((one) => !isTrue(one, 'is_partial'))) {
    const month = text(row, 'month')
    counts.set(month, (counts.get(month) ?? 0) + (number(row, value.column) ?? 0))
  }
  if (!counts.has(from) || countText(counts.get(from)!) !== plain(card.value)) return []
  const months: number[] = []
  for (let month = from; counts.has(month); month = monthBefore(month)) months.unshift(counts.get(month)!)
  return months
}

function withCapital(text: readonly Inline[]): readonly Inline[] {
  const [first, ...others] = text
  return first?.kind === 'text' ? [{ ...first, text: capital(first.text) }, ...others] : text
}

/** Topics for which charts and tables show the subject of a finding by name. */
const named = ['severities', 'teams', 'sources', 'acknowledge', 'resolve', 'nights']

/** Whether a block shows the subject. For example, a chart of Critical and Warning shows nothing about Info. */
function isShown(
  { kind, topic, subject, within }: SaidFinding,
  block: ChartBody | TableBody,
  known: ResolveContext,
): boolean {
  // A report on the whole company names no person, so its evidence for nights shows the team instead.
  const name = topic === 'nights' ? within : subject
  if (name === null || kind === 'new' || !named.includes(topic)) return true
  const { rows } = known.results.get(block.data)!
  const shown = 'limit' in block ? rows.slice(0, block.limit) : rows
  // A chart shows an integration under the name of its channel.
  return shown.some((row) =>
    row.some((cell) => typeof cell === 'string' && (cell === name || name.startsWith(`${cell}, `))),
  )
}

/** Returns the anchor of the first block on the finding’s topic, or else of the chart of the finding’s card. */
function sectionOf(finding: SaidFinding, report: Report, known: ResolveContext): string | null {
  const blocks = report.pieces.flatMap((piece) => ('body' in piece ? [piece] : []))
  const firstOn = (topic: string) => blocks.find(({ body }) => body.finding.some((each) => each === topic))
  const own = firstOn(finding.topic)
  const drawn = blocks.find(
    (piece) =>
      piece.kind === 'chart' &&
      piece.body.finding.length > 0 &&
      piece.body.data === finding.trend?.query &&
      [piece.body.y].flat().includes(finding.trend.column),
  )
  if (own && !isShown(finding, own.body, known)) return null
  const shown = own ?? drawn
  return shown?.body.finding.find((topic) => firstOn(topic) === shown) ?? null
}
