import type { Gap } from '../../judge/finding.ts'
import { isIncomplete } from '../../judge/incomplete.ts'
import type { FormatContext } from '../../render/format.ts'
import type { Inline } from '../../render/result.ts'
import { shorten } from '../../render/sanitize-text.ts'
import { done, figuresIn, led, NAME_MAX, type SaidFinding, say, text } from './sentence-parts.ts'
import { teamOf } from './team-sentences.ts'

/** The kinds of findings about problems with the data, and about times made by a machine. */
export const dataKinds = ['data', 'gap', 'resumed', 'moved', 'renamed']

/** Returns a finding of one of `dataKinds` as a sentence. */
export function dataSentence(finding: SaidFinding, context: FormatContext): Inline[] {
  const { kind, topic, subject, within, value, before, detail, list } = finding
  const { figure, number } = figuresIn(context)
  const count = led(number(value), list)
  const part = partWords(topic, subject ?? '')
  const name = (of: string | null) => shorten(of ?? '', NAME_MAX)
  switch (kind === 'data' ? topic : kind) {
    case 'gap':
      return say`No incidents recorded ${part} since ${figure(within, 'date')} (${count} days; usual: ${number(before)} per week).`
    case 'resumed':
      return say`${topic === 'severities' ? `${name(subject)} incidents` : `Incidents ${part}`} have been recorded again since ${figure(detail, 'date')}, after ${count} days without any (usual: ${number(before)} per week).`
    case 'moved':
      return say`The channel ${name(subject)} moved from ${name(detail)} to ${name(teamOf(finding))} on ${figure(within, 'date')} (${count} incidents since).`
    case 'renamed':
      return say`Since ${figure(within, 'date')}, no incident is ${name(subject)}, but the total is unchanged and ${name(detail)} grew. Were severities renamed?`
    case 'machine':
      return say`Automation ${done(subject)} ${count} of ${number(before)} incidents within a second of their start. Such times do not measure how fast people respond.`
    case 'unused':
      return say`Nobody has ever acknowledged an incident, so acknowledgement is not assessed.`
    case 'unread':
      return unreadSentence(finding, context)
    case 'rejected':
      return say`${count} of ${number(before)} records were rejected, so counts may be too low.`
    default:
      return gapSentence({ from: subject!, days: value!, perWeek: before!, to: detail }, context)
  }
}

function unreadSentence(
  { subject, within, detail, value, amount }: SaidFinding,
  context: FormatContext,
): Inline[] {
  const { figure } = figuresIn(context)
  const missing = say`${figure(amount, 'duration')} of the period are missing`
  const more = value === 1 ? '' : ` There ${value === 2 ? 'is 1 more gap' : `are ${value! - 1} more gaps`}.`
  const [from, to] = [figure(subject, 'time'), figure(detail, 'time')]
  if (within === 'start') return say`The data starts on ${to}; the first ${missing}.${more}`
  if (within === 'end') return say`The data ends on ${from}; the last ${missing}.${more}`
  return say`The data from ${from} to ${to} is missing.${more}`
}

/** Returns a sentence such as `No incidents recorded since 8 Oct (50 days; usual: 28 per week).` */
export function gapSentence({ from, to, days, perWeek }: Gap, context: FormatContext): Inline[] {
  const { figure, number } = figuresIn(context)
  const [since, usual] = [figure(from, 'date'), number(perWeek)]
  return to === null
    ? say`No incidents recorded since ${since} (${number(days)} days; usual: ${usual} per week).`
    : say`No incidents recorded for ${number(days)} days from ${since} (usual: ${usual} per week).`
}

/** Returns a text such as `from Search` or `as Critical`, for a part of the incidents. */
export const partWords = (topic: string, name: string) =>
  `${topic === 'severities' ? 'as' : 'from'} ${shorten(name, NAME_MAX)}`

/** Returns the recommended action for a finding of one of `dataKinds`. Otherwise null. */
export function dataStep({ kind, topic, subject, within, detail }: SaidFinding): string | null {
  const name = shorten(subject ?? '', NAME_MAX)
  switch (kind === 'data' ? topic : kind) {
    case 'gap':
      return topic === 'severities'
        ? `check the rules that make incidents ${name}`
        : `check that the integrations of ${name} still send alerts`
    case 'renamed':
      return 'compare the severity rules before and after that day'
    case 'rejected':
      return 'look at the rejected records with “faultline quarantine”'
    case 'unread':
      return within === 'start' ? null : 'wait for the complete report, or run “faultline sync”'
    case 'counts':
      return detail === null
        ? 'check that the integrations still send alerts'
        : 'find out why no alerts arrived'
    default:
      return null
  }
}

/** Returns phrases for a subject about a finding of one of `dataKinds`, from long to short. */
export function dataPhrases(finding: SaidFinding, context: FormatContext): readonly string[] {
  const { kind, topic, subject, within, value, before, detail } = finding
  const [n, previous] = [value, before].map((one) => (one === null ? '' : text(one, 'number', context)))
  const day = (of: string | null) => text(of, 'date', context)
  if (isIncomplete(finding)) return ['data incomplete']
  switch (kind === 'data' ? topic : kind) {
    case 'gap':
      return [`no ${subject} incidents since ${day(within)}`, `no incidents from one part for ${n} days`]
    case 'resumed':
      return [
        `${subject} incidents again since ${day(detail)}`,
        `incidents of one part again after ${n} days`,
      ]
    case 'moved':
      return [`${subject} moved from ${detail} to ${teamOf(finding)}`, 'a channel moved to another team']
    case 'renamed':
      return [`nothing is ${subject} since ${day(within)}`, 'a severity was renamed']
    case 'machine':
      return [`${n} of ${previous} ${done(subject)} by automation`]
    case 'unused':
      return ['nothing was ever acknowledged']
    default: {
      const from = day(subject)
      const start = detail === null ? `no incidents since ${from}` : `no incidents for ${n} days from ${from}`
      return [`${start} (usual ${previous} per week)`, start, `no incidents for ${n} days`]
    }
  }
}
