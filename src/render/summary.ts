import { countText, figureText, localTime, plain } from './format.ts'
import type { Block, Frame, KpiCard, Part, ReportResult } from './result.ts'
import { clean } from './sanitize-text.ts'
import { briefLead, doubtOf, inlineText, verdictText } from './text.ts'

export const ALL_TEAMS = 'All teams'
export const ALL_SEVERITIES = 'All severities'

export type ReportSummary = Readonly<ReturnType<typeof summaryOf>>

/** Summarizes a report. Its texts contain data, cleaned of control characters, and must not be used as markup. */
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
    subject: subjectOf(result),
    /** Paragraphs of a message, without next steps and open incidents. */
    lead: lead ? briefLead(lead).map((text) => words(inlineText(text))) : [words(verdictOf(result))],
    verdict: words(verdictOf(result)),
    findings: sentences.map((text) => words(inlineText(text))),
    next: words(inlineText(lead?.next ?? [])),
    /** Incidents that needed attention when the data was read, whatever the period. */
    open: words(inlineText(lead?.open ?? [])),
    /** Local dates. `to` is exclusive. */
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
    ...(frame.dimensions !== undefined && { dimensions: clean(frame.dimensions) }),
    ...(frame.leftOut !== undefined && { left_out: words(frame.leftOut) }),
    /** Time of the last read, ISO in UTC. */
    as_of: frame.asOfInstant.toISOString(),
    coverage: words(frame.coverage),
    is_empty: result.empty,
    kpis: result.kpis.map(kpiSummary),
    /** Unformatted figures: seconds, shares from 0 to 1, counts. */
    figures: result.run.figures.map((each) => ({ ...each, label: clean(each.label) })),
    gates: result.gates
      .filter(({ state }) => state !== 'ok')
      .map(({ name, state, message }) => ({ name: clean(name), state, message: words(message) })),
    warnings: result.warnings.map(words),
  }
}

/** Maximum length of a subject, so that a phone shows all of it. */
const SUBJECT_MAX = 60

/** Returns the subject of a mail: team, short name and the longest phrase that fits. Nothing is cut. */
function subjectOf({ subject, frame, gates }: ReportResult): string {
  const scope = scopeOf(frame).filter((one) => one !== ALL_TEAMS)
  const failed = gates.some(({ state }) => state === 'error') ? ' (check failed)' : ''
  const fits = (text: string) => Array.from(text).length <= SUBJECT_MAX
  const names = [[...scope, subject.name].join(', '), subject.name].map((name) => words(`${name}${failed}`))
  const all = names.flatMap((name) => subject.phrases.map((phrase) => `${name}: ${words(phrase)}`))
  const [, whole] = /^(.{1,60})(?!\S)/u.exec(names[1]!) ?? []
  return all.find(fits) ?? whole ?? 'Report'
}

/** Maximum number of figures in a mail or message. */
export const FIGURES = 4
/** Text of the link to the report. */
export const OPEN = 'Open the report'
const NOTES = 5

/** Returns failed conditions and warnings of a report. */
export function notesOf({ gates, warnings }: Pick<ReportSummary, 'gates' | 'warnings'>): string[] {
  const all = [...gates.map(({ message }) => message), ...warnings]
  return all.length > NOTES ? [...all.slice(0, NOTES), `${all.length - NOTES} more in the report.`] : all
}

/** Text before open incidents, which need not be part of the period. */
export const OPEN_NOW = 'Open now: '

/** Describes a card in one line. */
export function kpiText({ value, change, target }: SummaryKpi): string {
  const goal =
    target &&
    (target.doubt
      ? `objective: ${target.text} (${target.doubt})`
      : `${target.met ? '✓' : '✗'} objective: ${target.text}`)
  return [value, change && verdictText(change), goal].filter(Boolean).join(' · ')
}

/** Describes the scope. Omits parts that are not limited, except teams. */
export function scopeOf({
  accounts,
  teams,
  dimensions,
  severities,
}: Pick<Frame, 'accounts' | 'teams' | 'dimensions' | 'severities'>) {
  return [accounts ?? [], teams, dimensions ?? [], severities === ALL_SEVERITIES ? [] : severities].flat()
}

/** Returns the facts below the title: comparison, scope, time zone, age of the data and coverage. */
export function factsOf(frame: Frame): string[] {
  return [
    frame.previousLabel === null
      ? 'not compared: previous data missing or incomplete'
      : `compared with ${frame.previousLabel}`,
    ...scopeOf(frame),
    frame.timezone,
    `data as of ${figureText('time', frame)(frame.asOf)}`,
    frame.coverage,
    ...(frame.leftOut === undefined ? [] : [frame.leftOut]),
  ]
}

/** Data below this age needs no note about its day, because readers can infer the day from the time. */
const OLD_MS = 20 * 3_600_000

/** Returns `data from Tuesday`, or `data from 12 Nov` after a week. Null if the data is recent. @param now Unix ms */
export function oldData(frame: Pick<Frame, 'asOf' | 'asOfInstant' | 'timezone'>, now: number): string | null {
  const age = now - frame.asOfInstant.getTime()
  const day = frame.asOf.slice(0, 10)
  if (age < OLD_MS || day === localTime(new Date(now), frame.timezone).slice(0, 10)) return null
  return `data from ${age < WEEK_MS ? weekday.format(new Date(day)) : words(figureText('date', frame)(day))}`
}

const WEEK_MS = 6 * 24 * 3_600_000
const weekday = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' })

/** Returns the verdict, or the text for a period without incidents. */
export function verdictOf(
  result: Pick<ReportResult, 'empty' | 'stillOpen' | 'coverage' | 'verdict'>,
): string {
  return result.empty ? nothing(result) : result.verdict
}

export type SummaryKpi = Readonly<ReturnType<typeof kpiSummary>>

/** Formats a card as on the page, such as `1 h 48 min`. */
export function kpiSummary({ label, value, n, interval, change, target }: KpiCard) {
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
      mix: words(change.mix ?? ''),
    },
    target: target && { text: words(target.text), met: target.met, doubt: doubtOf(target) },
  }
}

function figure(parts: readonly Part[]): string {
  return words(plain(parts))
}

/** Replaces special spaces and drops joiners, for use by programs, in subjects and in searches. */
export function words(text: string): string {
  return clean(text)
    .replace(/[\u00a0\u2007\u202f]/g, ' ')
    .replace(/[\u2060\u200b]/g, '')
}

/**
 * Returns the text for a period without incidents. Mentions data gaps first, because a period without data is not a
 * quiet period.
 */
export function nothing({ stillOpen, coverage }: Pick<ReportResult, 'stillOpen' | 'coverage'>): string {
  const { share } = coverage
  const none =
    share === 0
      ? 'No data for this period'
      : share !== null && share < LEAST_READ
        ? `No incidents in the ${figureText('percent', { timezone: 'UTC' })(share)} of this period with data`
        : null
  const start = stillOpen?.gap ?? (none && `${none}.`)
  if (stillOpen === null || stillOpen.all === 0) {
    const open = stillOpen?.later ? 'No earlier incident is open.' : 'No incident is open.'
    return `${start ?? 'No incidents in this period.'} ${open}`
  }
  const { all, critical, since } = stillOpen
  const [incidents, be] = all === 1 ? ['incident', 'is'] : ['incidents', 'are']
  const open =
    since === 0
      ? `${countText(all)} older ${incidents} ${be} still open (${countText(critical)} Critical).`
      : `${countText(all)} ${be} open now (${countText(critical)} Critical), of which ${countText(since)} started after the period.`
  return `${start ?? `No ${since === 0 ? 'new ' : ''}incidents in this period.`} ${open}`
}

const LEAST_READ = 0.995

/**
 * Returns the blocks to show. For a period without incidents, these are only the tables that have rows, such as open
 * incidents.
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
