import { countText, figureText, localTime, plain } from './format.ts'
import type { KpiCard } from './result/block-parts.ts'
import type { Part } from './result/inline-text.ts'
import type { Frame } from './result/report-frame.ts'
import type { Block, ReportResult } from './result.ts'
import { clean } from './sanitize-text.ts'
import { doubtOf, inlineText } from './text.ts'

/** Names of the scope that is everything; see `Frame`. */
export const ALL_TEAMS = 'All teams'
export const ALL_SEVERITIES = 'All severities'

/** A report in short, for programs and lists: the message of a webhook, and a line of the index. */
export type ReportSummary = Readonly<ReturnType<typeof summaryOf>>

/** The summary of a report. Its texts hold data, cleaned of control characters: they are text, never markup. */
export function summaryOf(result: ReportResult) {
  const { frame } = result
  const lead = result.empty ? undefined : result.blocks.find((block) => block.kind === 'findings')
  const sentences = [
    ...(lead?.lines.map(({ text }) => text) ?? []),
    ...(lead?.also.length ? [lead.also] : []),
  ]
  return {
    report: result.name,
    title: clean(result.title),
    verdict: words(verdictOf(result)),
    /** What the report leads with, a sentence each, most important first. */
    findings: sentences.map((text) => words(inlineText(text))),
    /** What a team can do; may be empty. */
    next: words(inlineText(lead?.next ?? [])),
    /** Local dates; `to` is exclusive. */
    period: {
      from: frame.from,
      to: frame.to,
      label: words(frame.label),
      compared_with: frame.previousLabel && words(frame.previousLabel),
      timezone: frame.timezone,
    },
    /** Names of the accounts, where the warehouse holds several. */
    accounts: frame.accounts && clean(frame.accounts),
    teams: clean(frame.teams),
    severities: clean(frame.severities),
    ...(frame.dimensions !== undefined && { dimensions: clean(frame.dimensions) }),
    ...(frame.leftOut !== undefined && { left_out: words(frame.leftOut) }),
    /** When the data was read, ISO in UTC. */
    as_of: frame.asOfInstant.toISOString(),
    coverage: words(frame.coverage),
    is_empty: result.empty,
    kpis: result.kpis.map(kpiSummary),
    /** The same figures as numbers: seconds, shares from 0 to 1, counts. */
    figures: result.run.figures.map((each) => ({ ...each, label: clean(each.label) })),
    /** Those that are not `ok`. */
    gates: result.gates
      .filter(({ state }) => state !== 'ok')
      .map(({ name, state, message }) => ({ name: clean(name), state, message: words(message) })),
    warnings: result.warnings.map(words),
  }
}

/** What is chosen, for people: a part that is everything is left out, but for the teams. */
export function scopeOf({
  accounts,
  teams,
  dimensions,
  severities,
}: Pick<Frame, 'accounts' | 'teams' | 'dimensions' | 'severities'>) {
  return [accounts ?? [], teams, dimensions ?? [], severities === ALL_SEVERITIES ? [] : severities].flat()
}

/** What stands under a title besides the period: comparison, scope, zone, age of the data and coverage. */
export function factsOf(frame: Frame): string[] {
  return [
    frame.previousLabel === null
      ? 'no earlier data to compare with, or not all read'
      : `compared with ${frame.previousLabel}`,
    ...scopeOf(frame),
    frame.timezone,
    `data as of ${figureText('time', frame)(frame.asOf)}`,
    frame.coverage,
    ...(frame.leftOut === undefined ? [] : [frame.leftOut]),
  ]
}

/** A sync of every night is a day old at most; of what is younger the hour says enough. */
const OLD_MS = 20 * 3_600_000

/**
 * `data of Tuesday`, or of `12 Nov` after a week, where the data is of an earlier day and some time old; null otherwise.
 * @param now Unix ms
 */
export function oldData(frame: Pick<Frame, 'asOf' | 'asOfInstant' | 'timezone'>, now: number): string | null {
  const age = now - frame.asOfInstant.getTime()
  const day = frame.asOf.slice(0, 10)
  if (age < OLD_MS || day === localTime(new Date(now), frame.timezone).slice(0, 10)) return null
  return `data of ${age < WEEK_MS ? weekday.format(new Date(day)) : words(figureText('date', frame)(day))}`
}

const WEEK_MS = 6 * 24 * 3_600_000
const weekday = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' })

/** The verdict, or that there were no incidents. */
export function verdictOf(
  result: Pick<ReportResult, 'empty' | 'stillOpen' | 'coverage' | 'verdict'>,
): string {
  return result.empty ? nothing(result) : result.verdict
}

/** A card in words. */
export type SummaryKpi = Readonly<ReturnType<typeof kpiSummary>>

/** A card as the page shows it: `1 h 48 min`. */
export function kpiSummary({ label, value, n, interval, change, target }: KpiCard) {
  return {
    label: clean(label),
    value: figure(value),
    n,
    /** Ends of the 95 % interval. */
    interval: interval && [figure(interval[0]), figure(interval[1])],
    change: change && {
      direction: change.direction,
      tone: change.tone,
      amount: words(change.amount),
      verdict: words(change.verdict),
      previous: change.previous && figure(change.previous),
      note: words(change.note),
      mix: words(change.mix ?? ''),
    },
    target: target && { text: words(target.text), met: target.met, doubt: doubtOf(target) },
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

/**
 * The text of a page on a period without incidents. It says first what was not read, and that a data gap is no quiet period; then
 * what is open all the same.
 */
export function nothing({ stillOpen, coverage }: Pick<ReportResult, 'stillOpen' | 'coverage'>): string {
  const { share } = coverage
  const none =
    share === 0
      ? 'No data for this period'
      : share !== null && share < LEAST_READ
        ? `No incidents in the ${figureText('percent', { timezone: 'UTC' })(share)} of this period that was read`
        : null
  const start = stillOpen?.gap ?? (none && `${none}.`)
  if (stillOpen === null || stillOpen.all === 0) {
    const open = `none ${stillOpen?.later ? 'from before it ' : ''}is open.`
    return start === null ? `No incidents in this period, and ${open}` : `${start} ${capital(open)}`
  }
  const count = `${countText(stillOpen.all)}, of them Critical: ${countText(stillOpen.critical)}`
  const open =
    stillOpen.since === 0
      ? `still open from before: ${count}.`
      : `open now: ${count}, begun since: ${countText(stillOpen.since)}.`
  if (start !== null) return `${start} ${capital(open)}`
  return `No ${stillOpen.since === 0 ? 'new ' : ''}incidents in this period; ${open}`
}

/** Of a period read less than this, a page says which part was read. */
const LEAST_READ = 0.995

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

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
