import { doubtOf, objectiveText, verdictText } from '../page/sentences/card-sentences.ts'
import { dataAsOf, periodText, readText } from '../page/sentences/period-sentences.ts'
import { emptyText, moreNotes } from '../page/sentences/summary-sentences.ts'
import { plain } from './format.ts'
import type { Block, Frame, KpiCard, ReportResult } from './result.ts'
import { clean } from './sanitize-text.ts'
import { briefLead, capital, inlineText } from './text.ts'

export const ALL_TEAMS = 'All teams'
export const ALL_SEVERITIES = 'All severities'

export type ReportSummary = Readonly<ReturnType<typeof summaryOf>>

/** Summarizes a report for mails, messages and the index. The texts are untrusted, so markup must escape them. */
export function summaryOf(result: ReportResult) {
  const { frame } = result
  const lead = result.empty ? undefined : result.blocks.find((block) => block.kind === 'findings')
  const sentences = lead?.lines.map(({ text }) => text) ?? []
  if (lead?.also.length) sentences.push(lead.also)
  return {
    report: result.name,
    title: clean(result.title),
    subject: subjectOf(result),
    /** A judgment of the whole report, or empty. */
    opening: words(inlineText(lead?.opening ?? [])),
    /** The first finding in a few words. Empty if there is none, or if it is about incomplete data. */
    headline:
      lead?.lines.length && !result.gates.some(({ isInLead }) => isInLead)
        ? capital(words(result.subject.phrases[0] ?? ''))
        : '',
    /** The first paragraphs of a message. Next steps and open incidents follow separately. */
    lead: lead ? briefLead(lead).map((text) => words(inlineText(text))) : [words(verdictOf(result))],
    verdict: words(verdictOf(result)),
    findings: sentences.map((text) => words(inlineText(text))),
    next: words(inlineText(lead?.next ?? [])),
    /** Incidents that needed attention at the time of the data. They can be from outside the period. */
    open: words(inlineText(lead?.open ?? [])),
    /** The same text, even if the lead contains it. */
    urgent: words(inlineText(lead?.urgent ?? [])),
    /** Address of the most urgent of these incidents, or null. */
    open_url: lead?.urgent.flatMap((part) => (part.kind === 'link' ? part.href : []))[0] ?? null,
    /** Local dates. `to` is exclusive. */
    period: {
      from: frame.from,
      to: frame.to,
      label: words(frame.isAboutOpen ? readText(frame) : frame.label),
      compared_with: frame.previousLabel && words(frame.previousLabel),
      timezone: frame.timezone,
    },
    /** The period, the filters, the time zone and the time of the data, for readers. */
    facts: words([periodText(frame), ...factsOf(frame)].join(' · ')),
    accounts: frame.accounts && clean(frame.accounts),
    teams: clean(frame.teams),
    severities: clean(frame.severities),
    ...(frame.dimensions !== undefined && { dimensions: clean(frame.dimensions) }),
    ...(frame.leftOut !== undefined && { left_out: words(frame.leftOut) }),
    /** Time of the last read, in ISO format and UTC. */
    as_of: frame.asOfInstant.toISOString(),
    coverage: words(frame.coverage),
    ...(frame.incomplete !== undefined && { incomplete: words(frame.incomplete) }),
    is_empty: result.empty,
    kpis: result.kpis.map(kpiSummary),
    /** Unformatted figures: seconds, shares from 0 to 1, or counts. */
    figures: result.run.figures.map((each) => ({ ...each, label: clean(each.label) })),
    gates: result.gates
      .filter(({ state }) => state !== 'ok')
      .map(({ name, state, message, isInLead = false }) => ({
        ...{ name: clean(name), state, message: words(message) },
        is_in_lead: isInLead,
      })),
    warnings: result.warnings.map(words),
  }
}

/** Maximum length of a subject. Phones cut off longer subjects. */
const SUBJECT_MAX = 60

function subjectOf({ subject, frame, gates }: ReportResult): string {
  const scope = scopeOf(frame)
  const errors = gates.filter(({ state }) => state === 'error')
  // On the first days, for example, no data of the previous weeks was read.
  const isOnlyPart = errors.every(({ origin, name }) => origin === 'data quality' && name === 'coverage')
  const note = isOnlyPart ? ' (incomplete)' : ' (check failed)'
  // The name of a scheduled report already has this note if its data ends early.
  const failed = errors.length === 0 || subject.name.endsWith(note) ? '' : note
  const fits = (text: string) => Array.from(text).length <= SUBJECT_MAX
  const named = [[...scope, subject.name].join(', '), subject.name].map((name) => words(`${name}${failed}`))
  // The finding matters more than a failed check, which the mail also names.
  const names = [...named, words(subject.name)]
  const all = names.flatMap((name) => subject.phrases.map((phrase) => `${name}: ${words(phrase)}`))
  const [, whole] = /^(.{1,60})(?!\S)/u.exec(named[1]!) ?? []
  return all.find(fits) ?? whole ?? 'Report'
}

/** Maximum number of figures in a mail or message. */
export const FIGURES = 4
const NOTES = 5

type Problems = Pick<ReportSummary, 'gates' | 'warnings'>

/** Returns the failed checks and warnings that the lead does not mention. */
export const problemsOf = ({ gates, warnings }: Problems): string[] => [
  ...gates.flatMap(({ is_in_lead, message }) => (is_in_lead ? [] : message)),
  ...warnings,
]

export function notesOf(summary: Problems): string[] {
  const all = problemsOf(summary)
  return all.length > NOTES ? [...all.slice(0, NOTES), moreNotes(all.length - NOTES)] : all
}

export function kpiText({ value, change, target }: SummaryKpi): string {
  const goal = target && objectiveText(target, target.doubt)
  return [value, change && verdictText(change), goal].filter(Boolean).join(' · ')
}

type Scope = Pick<Frame, 'accounts' | 'teams' | 'dimensions' | 'severities'>

/** Returns what is selected. Empty if the report is about all incidents. */
export function scopeOf({ accounts, teams, dimensions, severities }: Scope): string[] {
  const all = [ALL_TEAMS, ALL_SEVERITIES]
  return [accounts ?? [], teams, dimensions ?? [], severities].flat().filter((one) => !all.includes(one))
}

/** Facts shown below the title of a page. */
export function factsOf(frame: Frame): string[] {
  return [
    ...scopeOf(frame),
    frame.timezone,
    ...(frame.isAboutOpen ? [] : [dataAsOf(readText(frame, frame.label))]),
    ...(frame.incomplete === undefined ? [] : [frame.incomplete]),
    ...(frame.leftOut === undefined ? [] : [frame.leftOut]),
  ]
}

export function verdictOf(result: Pick<ReportResult, 'empty' | 'stillOpen' | 'coverage' | 'verdict'>) {
  return result.empty ? emptyText(result.stillOpen, result.coverage) : result.verdict
}

type SummaryKpi = Readonly<ReturnType<typeof kpiSummary>>

export function kpiSummary({ label, value, n, interval, change, target }: KpiCard) {
  return {
    label: clean(label),
    value: words(plain(value)),
    n,
    interval: interval && [words(plain(interval[0])), words(plain(interval[1]))],
    change: change && {
      direction: change.direction,
      tone: change.tone,
      amount: words(change.amount),
      verdict: words(change.verdict),
      previous: change.previous && words(plain(change.previous)),
      note: words(change.note),
      mix: words(change.mix ?? ''),
    },
    target: target && { text: words(target.text), met: target.met, doubt: doubtOf(target) },
  }
}

/** Replaces no-break spaces and drops invisible joiners, so that programs and searches find the words. */
export function words(text: string): string {
  return clean(text)
    .replace(/[\u00a0\u2007\u202f]/g, ' ')
    .replace(/[\u2060\u200b]/g, '')
}

/** A period without incidents shows only tables that have rows, such as open incidents. */
export function shownBlocks({ empty, blocks }: Pick<ReportResult, 'empty' | 'blocks'>): readonly Block[] {
  if (!empty) return blocks
  const isTable = (block: Block) => block.kind === 'table' && block.data.rows.length > 0
  return blocks.filter((block, index) => {
    if (block.kind !== 'heading') return isTable(block)
    const next = blocks.findIndex((each, at) => at > index && each.kind === 'heading')
    return blocks.slice(index + 1, next < 0 ? undefined : next).some(isTable)
  })
}
