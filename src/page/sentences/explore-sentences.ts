import { type FormatContext, format, plain } from '../../render/format.ts'
import type { Value } from '../../render/result.ts'

type Figures = Readonly<Record<string, Value>>

export const VALID_PART = 'Same filter without the invalid part'
export const LIST_SQL = 'SQL for this list (`faultline sql`)'
export const NO_MATCH = 'No incidents match these filters.'
const FOR_NOBODY = 'Times, changes and rankings are not shown for individuals.'
export const COUNTS_ONLY = `Counts only. ${FOR_NOBODY}`
export const PEOPLE_NOTE = `Assignments by person, sorted by pages. ${FOR_NOBODY}`
export const IS_CHANGE = 'Is this a real change?'
export const refusals = { 400: 'Invalid address', 404: 'Page not found', 503: 'Data not available' } as const
export const UNEXPECTED = ['Unexpected error.', 'Try again, or report it with this address.']

/** Explains which incidents the times cover. The SQL macro `resolve_time` decides this for the time to resolve. */
export function timesNote(figures: Figures): string {
  const resolve = 'Times are medians. Time to resolve'
  if (Number(figures.ttr_n ?? 0) === 0)
    return 'Times are medians. No incident of this selection was handled by a person.'
  if (figures.is_survival !== true)
    return `${resolve} covers closed incidents; fewer than 10% are still open.`
  return figures.ttr === null
    ? `${resolve} is not reached, because too many incidents are still open.`
    : `${resolve} is estimated by survival (Kaplan-Meier), because at least 10% are still open.`
}

export const historyTitle = (unit: string) => `Incidents by ${unit} and severity`

/** Returns the titles of the charts of shares and of times. */
export function trendTitles(figures: Figures, context: FormatContext): [shares: string, times: string] {
  const text = (name: string, as: 'percent' | 'duration') => plain(format(figures[name] ?? null, as, context))
  return [
    `Within target: ${text('acknowledged', 'percent')} acknowledged, ${text('resolved', 'percent')} resolved`,
    `Median: ${text('tta', 'duration')} to acknowledge, ${text('ttr', 'duration')} to resolve`,
  ]
}
