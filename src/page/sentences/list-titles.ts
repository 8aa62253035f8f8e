import { contextOf, type FormatContext, format, plain } from '../../render/format.ts'
import { type IncidentList, type Measure, measures } from '../../render/result-parts.ts'
import { capital } from '../../render/text.ts'
import { type Bucket, measureOf, type Test } from '../../report/incidents/incident-selection.ts'
import type { OpenFrame } from '../../report/scope/frame.ts'
import { rangeText } from './period-sentences.ts'

/** Returns the time that the incidents of a list cover. Null if they cover any time. */
export function timeOf({ tests }: Bucket, frame: OpenFrame['frame']): string | null {
  const periods = tests.flatMap((test) => ('is' in test && test.column === 'period' ? [test.is] : []))
  const since = (day: string) => `Since ${plain(format(day, 'date', contextOf(frame)))}`
  switch (periods[0]?.toSorted().join()) {
    case 'current':
      return rangeText(frame)
    case 'previous':
      return frame.previousLabel
    case 'running':
      return since(frame.to)
    case 'current,running':
      return since(frame.from)
    default:
      return null
  }
}

/**
 * Describes a bucket, and names the duration by which its list is sorted. `caption` is the name of the number, and
 * replaces all conditions except those of its row and those that say which time or whose target is meant.
 */
export function labelOf(bucket: Bucket, caption: string, context: FormatContext): string {
  const { of, tests } = bucket
  const isNaming = (test: Test) =>
    'has' in test ? test.column in targetWords : 'is' in test && test.column === 'is_waiting'
  const isOwn = (test: Test) =>
    caption === '' ||
    isNaming(test) ||
    'has' in test ||
    ('is' in test && (test.isOfRow || ['period', 'band'].includes(test.column)))
  const words = tests.filter(isOwn).flatMap((test) => testWords(test, context))
  const measure = measureOf(bucket)
  const name = measure === null ? '' : measures[measure]
  const isRepeated = [...words, name, of].some((one) => one.toLowerCase().includes(caption.toLowerCase()))
  const parts = [...words, ...(isRepeated || tests.some(isNaming) ? [] : [caption])]
  const isMeasured = measure === null || measureWords[measure].test(parts.join())
  return [...parts, ...(isMeasured ? [] : [name])].join(' · ') || `All ${of}`
}

/** Words that name a duration in a title. */
const measureWords: Readonly<Record<Measure, RegExp>> = {
  time_to_ack_s: /acknowledged|time to acknowledge/i,
  tta: /acknowledged|time to acknowledge/i,
  ttr: /resolved|time to resolve/i,
  ttr_all: /resolved|time to resolve/i,
  recover: /recover/i,
  lasted_s: /open|duration/i,
}

/** Words for the result of a target. `measure` is `acknowledge` or `resolve`. */
const targetWords: Readonly<Record<string, (severity: string, measure: string) => string>> = {
  missed_targets: (severity, measure) => `${severity} incidents not ${measure}d within target`,
  decided_targets: (severity, measure) => `${severity} incidents by time to ${measure}`,
  undecided_targets: (severity, measure) =>
    `${severity} incidents that ended before their target to ${measure}`,
}

function testWords(test: Test, context: FormatContext): string[] {
  if ('sql' in test) return []
  const { column } = test
  if ('known' in test) return [nameOf(column)]
  if ('has' in test) {
    const [measure = '', ...severity] = test.has.split(' ')
    return [targetWords[column]?.(severity.join(' '), measure) ?? capital(test.has)]
  }
  if (!('is' in test)) return [rangeWords(test, context)]
  if (column === 'period') {
    const [word = 'current'] = test.is
    return word === 'current' ? [] : [word === 'previous' ? 'Previous period' : 'After the period']
  }
  return [test.is.map((one) => valueWords(column, one, context)).join(' or ')]
}

const nameOf = (column: string) =>
  capital({ ...measures, survival_s: measures.lasted_s }[column] ?? column.replaceAll('_', ' '))

function rangeWords({ column, from, to }: Extract<Test, { from: unknown }>, context: FormatContext): string {
  const [low, high] = [from, to].map((value) => plain(format(value ?? 0, 'duration', context)))
  const upTo = from === null ? `under ${high}` : from === to ? low : `${low} to ${high}`
  return `${nameOf(column)} ${from !== null && to === null ? `${low} or more` : upTo}`
}

export const weekdayNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
export const bandNames: Readonly<Record<string, string>> = {
  work: 'In working hours',
  off: 'Outside working hours',
  sleep: 'At night',
}

function valueWords(column: string, value: string | null, context: FormatContext): string {
  const words = column.replaceAll('_', ' ').replace(/^is /, '')
  if (value === null) return `No ${words}`
  switch (column) {
    case 'week':
      if (context.bucket) return plain(format(value, 'date', context)).replace(/^1\u00a0/, '')
      return `Week of ${plain(format(value, 'date', context))}`
    case 'day':
      return plain(format(value, 'date', context))
    case 'month':
      return `Month from ${plain(format(value, 'date', context))}`
    case 'hour':
      return `${value.padStart(2, '0')}:00 to ${String(Number(value) + 1).padStart(2, '0')}:00`
    case 'weekday':
      return weekdayNames[Number(value) - 1] ?? value
    case 'band':
      return bandNames[value] ?? value
    case 'ack_outcome':
      return value === 'ended_early'
        ? 'Ended before the acknowledgement was due'
        : `Acknowledgement target ${value}`
    case 'resolve_outcome':
      return `Resolution target ${value}`
    case 'holders':
      return 'One person'
    case 'is_waiting':
      return `${value === 'true' ? 'Unacknowledged' : 'Not unacknowledged'} past target`
  }
  // Other values are names, which keep their case.
  if (value === 'true') return capital(words)
  return value === 'false' ? `Not ${words}` : value
}

/** Captions of numbers in sentences. */
export const captions: Readonly<Record<string, string>> = { month: 'last four weeks', week: 'last week' }

/** Warns that a number differs from the length of its list. */
export const mismatchText = (figure: string, number: number, { label, count }: IncidentList) =>
  `"${figure}" is ${number} for ${label}, but the list has ${count}. The query and \`incidents\` of its block have different conditions.`
