import type { Judgement } from '../judge/judge-figures.ts'
import type { StillOpenFacts } from '../judge/methodology-data.ts'
import { judgedIn } from '../judge/methodology-rules.ts'
import { contextOf, type FormatContext } from '../render/format.ts'
import type { Block, QueryResult, ReportResult, StillOpen } from '../render/result.ts'
import { inlineText, leadText } from '../render/text.ts'
import type { Answers } from '../report/ask-queries.ts'
import { readsOf } from '../report/parse/column-requirements.ts'
import type { Report } from '../report/parse/parse.ts'
import { isHandover } from '../report/scope/shift.ts'
import { drawBlocks } from './draw-blocks.ts'
import { countCard, drawCard } from './draw-card.ts'
import type { ResolveContext } from './draw-text.ts'
import { judgeGates } from './evaluate-gates.ts'
import { FEW } from './few-incidents.ts'
import { sayFindings } from './findings-block.ts'
import type { Findings } from './rank-findings.ts'
import { coverageTexts, frameWarnings, handoverWarnings, leftOutOf } from './sentences/coverage-sentences.ts'
import { gapSentence } from './sentences/data-sentences.ts'
import { ruleTexts } from './sentences/methodology-sentences.ts'
import { qualityGates } from './sentences/quality-sentences.ts'
import { reportSubject } from './sentences/subject-sentences.ts'
import { withTeamFindings } from './team-findings.ts'

/** Turns the results of the other stages into text and blocks, without running queries. */
export function drawReport(
  { report, options, open, results }: Answers,
  { cards: figures }: Judgement,
  findings: Findings,
): Omit<ReportResult, 'source' | 'run'> {
  const { ranked, lists, methodology, stillOpen, verdicts, few } = findings
  const context = contextOf(open.frame)
  const judged: ResolveContext = {
    ...{ comparable: open.comparable, wholeWeeks: open.wholeWeeks, context, figures: findings.figures },
    ...{ results, few, linksOf: lists.linksOf },
  }
  const frame = {
    ...{ ...open.frame, ...coverageTexts(open), ...leftOutOf(methodology) },
    isAboutOpen: report.front.about_open,
  }
  const cards = new Map(
    figures.map((one) => [one.body, few ? countCard(one, judged) : drawCard(one, judged)]),
  )
  const isOfMonth = report.front.short === 'month' && findings.counts.incidents >= FEW
  const said = ranked && sayFindings(report, ranked, judged, cards, lists, isOfMonth ? frame : null)
  const known = said ? withTeamFindings(report, judged, said) : judged
  const blocks = drawBlocks(report, known, cards, said)
  return {
    name: report.name,
    title: report.front.title,
    subject: reportSubject(report, frame, said?.first ?? null, findings.counts, context),
    verdict: verdictOf(blocks),
    kpis: blocks.flatMap((block) => (block.kind === 'kpis' ? block.cards : [])),
    frame,
    // A report about open incidents is not empty if incidents are open or have started since the period.
    empty: stillOpen !== null && !(report.front.about_open && stillOpen.all + stillOpen.came > 0),
    stillOpen: stillOpen && stillOpenText(stillOpen, context),
    blocks,
    queries: withUnits(report, [...known.results.values(), ...(few ? [few] : [])]),
    verdicts,
    lists: lists.lists,
    findings: said?.table ?? null,
    counted: { ...methodology, rules: ruleTexts(methodology.rules, judgedIn(verdicts)) },
    coverage: open.coverage,
    gates: [
      ...judgeGates(report.gates, known),
      ...qualityGates(findings.quality, open.coverage, context),
    ].map((gate) =>
      said?.lead.some(({ topic }) => topic === checkedBy[gate.name]) ? { ...gate, isInLead: true } : gate,
    ),
    restated: findings.restatement,
    ...(isHandover(report) && { shiftEnd: findings.shiftEnd! }),
    warnings: [
      ...frameWarnings(open, said?.lead.some(({ topic }) => topic === 'unread') ?? false),
      ...lists.warnings,
      ...(isHandover(report) && options.dueAt !== undefined ? handoverWarnings(options, open.frame) : []),
    ],
  }
}

/** Checks, with the topic of the finding about the same problem. */
const checkedBy: Readonly<Record<string, string>> = { coverage: 'unread', quarantined: 'rejected' }

function stillOpenText({ gap, ...counts }: StillOpenFacts, context: FormatContext): StillOpen {
  return gap === null ? counts : { ...counts, gap: inlineText(gapSentence(gap, context)) }
}

/** Without findings, returns the first paragraph, unless a heading comes before it. */
function verdictOf(blocks: readonly Block[]): string {
  const first = blocks.find(({ kind }) => ['findings', 'paragraph', 'heading'].includes(kind))
  if (first?.kind === 'findings') return leadText(first)
  return first?.kind === 'paragraph' ? inlineText(first.content) : ''
}

/** Adds the unit to duration columns, so that `tta` becomes `tta_s` in files. Names with a unit stay the same. */
function withUnits(report: Report, queries: readonly QueryResult[]): QueryResult[] {
  const durations = readsOf(report).filter(({ format }) => format === 'duration')
  const seconds = new Set(durations.map(({ query, column }) => `${query}.${column}`))
  return queries.map((query) => ({
    ...query,
    columns: query.columns.map((column) => {
      const { name } = column
      const isNamed = /(_s|seconds)$/.test(name) || query.columns.some((other) => other.name === `${name}_s`)
      const made = report.queries.find((one) => one.name === query.name)?.seconds
      const isSeconds = made?.has(name) || seconds.has(`${query.name}.${name}`)
      return isSeconds && !isNamed ? { ...column, unit: 's' as const } : column
    }),
  }))
}
