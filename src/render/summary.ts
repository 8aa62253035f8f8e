import { clean } from './clean.ts'
import { countText, plain } from './format.ts'
import type { Block, Gate, KpiCard, Part, ReportResult, RunFacts, Tone } from './result.ts'
import { inlineText } from './text.ts'

/** A figure as the page shows it: `1 h 48 min`. */
export interface SummaryKpi {
  readonly label: string
  readonly value: string
  readonly n: number | null
  /** Ends of the 95 % interval. */
  readonly interval: readonly [string, string] | null
  readonly change: {
    readonly direction: 'up' | 'down' | 'none'
    readonly tone: Tone
    readonly amount: string
    readonly verdict: string
    readonly previous: string | null
    readonly note: string
  } | null
  readonly target: { readonly text: string; readonly met: boolean } | null
}

/** A report in short, for programs and lists: the message of a webhook, and a line of the index. */
export interface ReportSummary {
  readonly report: string
  readonly title: string
  readonly verdict: string
  /** What the report leads with, a sentence each, most important first; what a team can do is `next`, or empty. */
  readonly findings: readonly string[]
  readonly next: string
  /** Local dates; `to` is exclusive. */
  readonly period: {
    readonly from: string
    readonly to: string
    readonly label: string
    readonly compared_with: string | null
    readonly timezone: string
  }
  /** Names of the accounts, where the warehouse holds several. */
  readonly accounts: string | null
  readonly teams: string
  readonly severities: string
  /** When the data was read, ISO in UTC. */
  readonly as_of: string
  readonly coverage: string
  readonly is_empty: boolean
  readonly kpis: readonly SummaryKpi[]
  /** The same figures as numbers: seconds, shares from 0 to 1, counts. */
  readonly figures: RunFacts['figures']
  readonly gates: readonly Pick<Gate, 'name' | 'state' | 'message'>[]
  readonly warnings: readonly string[]
}

/** The summary of a report. Its texts hold data, cleaned of control characters: they are text, never markup. */
export function summaryOf(result: ReportResult): ReportSummary {
  const { frame } = result
  const lead = result.empty ? undefined : result.blocks.find((block) => block.kind === 'findings')
  return {
    report: result.name,
    title: clean(result.title),
    verdict: words(verdictOf(result)),
    findings: [...(lead?.lines.map(({ text }) => text) ?? []), ...(lead?.also.length ? [lead.also] : [])].map(
      (text) => words(inlineText(text)),
    ),
    next: words(inlineText(lead?.next ?? [])),
    period: {
      from: frame.from,
      to: frame.to,
      label: words(frame.label),
      compared_with: frame.previousLabel && words(frame.previousLabel),
      timezone: frame.timezone,
    },
    accounts: frame.accounts && clean(frame.accounts),
    teams: clean(frame.teams),
    severities: clean(frame.severities),
    as_of: frame.asOfInstant.toISOString(),
    coverage: words(frame.coverage),
    is_empty: result.empty,
    kpis: result.kpis.map(kpiSummary),
    figures: result.run.figures.map((each) => ({ ...each, label: clean(each.label) })),
    gates: result.gates
      .filter(({ state }) => state !== 'ok')
      .map(({ name, state, message }) => ({ name: clean(name), state, message: words(message) })),
    warnings: result.warnings.map(words),
  }
}

/** The verdict, or that there were no incidents. */
export function verdictOf(result: Pick<ReportResult, 'empty' | 'stillOpen' | 'verdict'>): string {
  return result.empty ? nothing(result) : result.verdict
}

/** A card in words. */
export function kpiSummary({ label, value, n, interval, change, target }: KpiCard): SummaryKpi {
  return {
    label: clean(label),
    value: figure(value),
    n,
    interval: interval && [figure(interval[0]), figure(interval[1])],
    change: change && {
      direction: change.direction,
      tone: change.tone,
      amount: words(change.amount),
      verdict: words(change.verdict),
      previous: change.previous && figure(change.previous),
      note: words(change.note),
    },
    target: target && { text: words(target.text), met: target.met },
  }
}

function figure(parts: readonly Part[]): string {
  return words(plain(parts))
}

/** Replaces narrow spaces by plain ones and drops joiners, for programs, subjects and searches. */
export function words(text: string): string {
  return clean(text)
    .replace(/[\u00a0\u2007\u202f]/g, ' ')
    .replace(/[\u2060\u200b]/g, '')
}

/** The text of a page on a period without incidents: what is open all the same is said. */
export function nothing({ stillOpen }: Pick<ReportResult, 'stillOpen'>): string {
  if (stillOpen === null || stillOpen.all === 0) return 'No incidents in this period, and none is open.'
  return `No new incidents in this period; still open from before: ${countText(stillOpen.all)}, of them Critical: ${countText(stillOpen.critical)}.`
}

/**
 * The blocks to show. Without incidents in the period these are the tables that have rows all the same, such as what is
 * still open, each under its heading.
 */
export function shownBlocks({ empty, blocks }: Pick<ReportResult, 'empty' | 'blocks'>): readonly Block[] {
  if (!empty) return blocks
  const isTable = (block: Block) => block.kind === 'table' && block.data.rows.length > 0
  return blocks.filter((block, index) => {
    if (block.kind !== 'heading') return isTable(block)
    const next = blocks.findIndex((each, at) => at > index && each.kind === 'heading')
    return blocks.slice(index + 1, next < 0 ? undefined : next).some(isTable)
  })
}
