import { countText, type FormatContext, format, plain } from '../../render/format.ts'
import type { Frame, ReportSubject } from '../../render/result.ts'
import { words } from '../../render/summary.ts'
import type { Report } from '../../report/parse/parse.ts'
import { monthLabel } from '../../report/scope/frame-text.ts'
import { dataKinds, dataPhrases } from './data-sentences.ts'
import { countOf, moved } from './finding-sentences.ts'
import { done, isNew, NO_CHANNEL, othersOf, type SaidFinding, text } from './sentence-parts.ts'

/** Counts for the subject of a mail about a report without findings. */
export interface SubjectCounts {
  readonly incidents: number
  /** Null if the previous period was not read in full. */
  readonly previous: number | null
  /** Open incidents, for a report about them. */
  readonly open: number
  /** True if no data was read for this period. */
  readonly isUnread: boolean
}

export function reportSubject(
  { front }: Pick<Report, 'front'>,
  frame: Frame,
  finding: SaidFinding | null,
  { incidents, previous, open, isUnread }: SubjectCounts,
  context: FormatContext,
): ReportSubject {
  const name = front.short === 'month' ? (monthOf(frame) ?? words(frame.label)) : (front.short ?? front.title)
  if (finding) return { name, phrases: findingPhrases(finding, context) }
  if (isUnread) return { name, phrases: ['no data for this period'] }
  if (front.about_open) return { name, phrases: [incidentsText(open).replace(' ', ' open ')] }
  const count = incidentsText(incidents)
  return {
    name,
    phrases: [...(previous === null ? [] : [`${count}, previous ${countText(previous)}`]), count],
  }
}

export const incidentsText = (count: number) =>
  `${count === 0 ? 'no' : countText(count)} ${count === 1 ? 'incident' : 'incidents'}`

/** Returns the name of the month, with the year if it is another year. Null if the period is not one month. */
export function monthOf({ from, to, asOf }: Frame): string | null {
  return monthLabel({ from, to }, to.slice(0, 4) !== asOf.slice(0, 4))
}

/**
 * Returns phrases from long to short: with a comparison, without it, and finally without names. The last phrase always
 * fits. No phrase contains the title of an incident or the name of a person.
 */
export function findingPhrases(finding: SaidFinding, context: FormatContext): readonly string[] {
  const { kind, topic, subject, within, value, before, amount, isWorse } = finding
  const [n, previous] = [value, before].map((one) => (one === null ? '' : text(one, 'number', context)))
  const percent = (share: number | null) => text(share ?? 0, 'percent', context)
  if (dataKinds.includes(kind)) return dataPhrases(finding, context)
  switch (kind) {
    case 'unattended':
      return value === 1
        ? [
            `1 ${within} unacknowledged for ${text(amount ?? 0, 'duration', context)}`,
            `1 ${within} unacknowledged`,
          ]
        : [`${n} high-severity incidents unacknowledged past target`, `${n} unacknowledged past target`]
    case 'ageing':
      return [`${n} of ${previous} open incidents older than a week`, `${n} incidents open for over a week`]
    case 'goal':
      return goalPhrases(finding, context)
    case 'burst': {
      const day = `${within === 'day' ? 'on' : 'in the week of'} ${dayText(finding.detail, context)}`
      return [
        ...(before === null ? [] : [`${n} incidents ${day} (usual ${previous} per week)`]),
        `${n} incidents ${day}`,
        `spike of ${n} incidents`,
      ]
    }
    case 'concentrated':
      return [
        `one person in ${within} got ${n} of ${previous} night pages`,
        `one person got ${n} of ${previous} night pages`,
        `${n} night pages for one person`,
      ]
    case 'week':
    case 'month':
    case 'outside':
      return countPhrases(finding, [n!, previous!], context)
    case 'most':
      return [
        `${n} of ${previous} teams ${isWorse ? 'took longer' : 'were faster'} to ${topic}`,
        `${n} teams ${isWorse ? 'slower' : 'faster'} to ${topic}`,
      ]
    case 'trend': {
      const change = isWorse ? 'rising' : 'falling'
      const start = `${subject === 'all' ? '' : `${subject} `}incidents ${change}`
      return [
        `${start} by ${percent(Math.abs(finding.estimate! - 1))} every four weeks`,
        start,
        `incidents ${change}`,
      ]
    }
    default:
      return factPhrases(finding, context) ?? shiftPhrases(finding, context)
  }
}

/** Describes a finding about a fact. Null for any other finding. */
function factPhrases(finding: SaidFinding, context: FormatContext): readonly string[] | null {
  const { kind, topic, subject, value, before } = finding
  const [n, previous] = [value, before].map((one) => (one === null ? '' : text(one, 'number', context)))
  switch (kind) {
    case 'dominant':
      return topic === 'families'
        ? [`one alert is ${n} of ${previous} incidents`]
        : [
            `${n} of ${previous} incidents from ${subject}`,
            `${n} of ${previous} incidents from one ${topic === 'sources' ? 'channel' : 'team'}`,
          ]
    case 'in_time': {
      const [now, then] = [value, before].map((share) => text(share!, 'percent', context))
      const start = `${subject} acknowledged ${now} in time`
      return [`${start}, previous ${then}`, start, 'one team acknowledges later']
    }
    case 'behind': {
      const [own, others] = [value, before].map((share) => text(share!, 'percent', context))
      const isAny = finding.detail === 'any'
      const start = `${subject} acknowledges ${own}${isAny ? '' : ' in time'}`
      return [`${start}, others ${others}`, start, `one team acknowledges ${isAny ? 'less' : 'late'}`]
    }
    case 'mix': {
      const change = `${subject} ${value! > before! ? 'rose' : 'fell'}`
      const [now, then] = [value, before].map((share) => text(share!, 'percent', context))
      return [`${change} from ${then} to ${now} of incidents`, 'the severity mix changed']
    }
    case 'unreviewed':
      return [`${n} of ${previous} Critical without post-mortem`]
    case 'new':
      return [`${n} incidents from new teams`]
    case 'never_closed':
      return [`${n} of ${previous} incidents never closed`]
    case 'timer':
      return [`${n} of ${previous} incidents closed by a timer`]
    case 'apart': {
      const own = text(value!, 'duration', context)
      return [
        `${subject} ${topic}s in ${own}, others in ${othersOf(finding, context)}`,
        `${subject} ${topic}s in ${own}`,
        `one team slow to ${topic}`,
      ]
    }
    default:
      return null
  }
}

const dayText = (day: string | null, context: FormatContext) => plain(format(day, 'date', context))

function goalPhrases(
  { card, subject, within, value, before, isTested }: SaidFinding,
  context: FormatContext,
): string[] {
  const percent = (share: number | null) => text(share ?? 0, 'percent', context)
  const start = card
    ? `${card.label} ${plain(card.value)}`
    : isTested
      ? `${subject} ${done(within)} ${percent(value)} in time`
      : `${percent(value)} ${subject === null ? '' : `of ${subject} `}${done(within)} in time`
  return [`${start}, objective ${card ? card.target!.text : percent(before)}`, start, 'objective missed']
}

function countPhrases(
  finding: SaidFinding,
  [n, previous]: readonly [string, string],
  context: FormatContext,
): string[] {
  const { kind, topic, subject, value, before, estimate, detail, causeN } = finding
  const when = { week: ' last week', month: ' in four weeks' }[kind] ?? ''
  const noun = value === 1 ? 'incident' : 'incidents'
  // The phrase for a source has no noun, which leaves room for the source’s name.
  const isSource = sources[topic] !== undefined && subject !== NO_CHANNEL
  const counted = value === 1 ? countOf(finding).replace('incidents', noun) : countOf(finding)
  const count = `${n} ${isSource ? `from ${subject}` : counted}${when}`
  const short = [count, `${n} ${noun}${sources[topic] ?? others[topic] ?? ''}${when}`]
  if (causeN !== null && isSource)
    return [
      `one alert is ${countText(causeN)} of ${n} incidents from ${subject}${when}`,
      `one alert is ${countText(causeN)} of ${n} from ${subject}`,
      `one alert is ${countText(causeN)} of ${n} incidents`,
    ]
  if (isNew(finding)) return [`${count}, new since ${dayText(detail, context)}`, ...short]
  if (kind !== 'outside') return [`${count}, usual ${previous}`, ...short]
  const verb = before === 0 ? 'rose' : moved(estimate!, value! / before!)
  const change = `${verb} from ${before === 0 ? 'none' : previous} to ${n}`
  return [isSource ? `${subject} ${change} incidents` : `${countOf(finding)} ${change}`, ...short]
}

/** Phrases used instead of a name that does not fit. */
const sources: Record<string, string> = { teams: ' from one team', sources: ' from one channel' }
const others: Record<string, string> = { severities: ' of one severity', hours: ' in one hour of the day' }

function shiftPhrases(
  { card, topic, subject, value, before, isWorse }: SaidFinding,
  context: FormatContext,
): string[] {
  if (card) {
    const [now, change] = [plain(card.value), card.change!]
    const from = change.isFromNone ? 'none' : plain(change.previous ?? [])
    return [
      `${card.label} ${change.direction === 'down' ? 'fell' : 'rose'} from ${from} to ${now}`,
      `${card.label} ${now}`,
      `one figure ${isWorse ? 'worse' : 'better'}`,
    ]
  }
  const duration = (seconds: number) => text(seconds, 'duration', context)
  const pace = `${isWorse ? 'slower' : 'faster'} to ${topic}`
  const now = value === null ? `${subject} ${pace}` : `${subject} ${topic}s in ${duration(value)}`
  const compared = before === null || value === null ? [] : [`${now}, previous ${duration(before)}`]
  return [...compared, now, `one team ${pace}`]
}
