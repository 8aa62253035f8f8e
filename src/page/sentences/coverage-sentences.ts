import { INCLUDED } from '../../judge/methodology-data.ts'
import { countText, figureText, format, localTime, plain } from '../../render/format.ts'
import type { Frame, Methodology } from '../../render/result.ts'
import type { OpenFrame } from '../../report/scope/frame.ts'
import { addDays, dayMs } from '../../report/scope/local-date.ts'
import { LISTED_DAYS, type ShiftOptions } from '../../report/scope/shift.ts'
import { LEAST_READ } from './summary-sentences.ts'

const UTC = { timezone: 'UTC' }
const date = (text: string) => figureText('date', UTC)(text.slice(0, 10))

/** Returns `coverage 100%, data from 3 Aug 2026`. It is also `incomplete` if the data does not cover the whole period. */
export function coverageTexts({
  frame: { from, to, asOf },
  coverage: { share },
  firstAt,
}: OpenFrame): Pick<Frame, 'coverage' | 'incomplete'> {
  if (firstAt === null) return { coverage: 'no incidents yet', incomplete: 'no incidents yet' }
  const gaps = [
    ...(firstAt.slice(0, 10) > from ? [`starts on ${date(firstAt)}`] : []),
    ...(asOf.slice(0, 10) < to ? [`ends on ${date(asOf)}`] : []),
  ]
  const data = gaps.length ? `data ${gaps.join(' and ')}` : `data from ${date(firstAt)}`
  const coverage = share === null ? data : `coverage ${figureText('percent', UTC)(share)}, ${data}`
  const isComplete = gaps.length === 0 && share !== null && share >= LEAST_READ
  return { coverage, incomplete: isComplete ? undefined : coverage }
}

/** Describes the incidents that the configuration excludes, if they are more than 1% of the incidents. */
export function leftOutOf({ funnel }: Methodology): Pick<Frame, 'leftOut'> {
  const excluded = funnel.filter(({ exclusion, count }) => exclusion !== undefined && count > 0)
  const all = excluded.reduce((sum, { count }) => sum + count, 0)
  const counted = funnel.find(({ label }) => label === INCLUDED)?.count ?? 0
  if (all <= 0.01 * (all + counted)) return {}
  const names = excluded.map(({ exclusion, count }) =>
    excluded.length === 1 ? exclusion : `${exclusion} (${countText(count)})`,
  )
  return { leftOut: `${countText(all)} excluded: ${names.join(', ')}` }
}

/**
 * Returns warnings about the time zone, and about data that ends before the period of a scheduled report, unless the
 * lead mentions it.
 */
export function frameWarnings(
  { frame: { to, asOf }, zoneProblem, endsEarly }: OpenFrame,
  isInLead: boolean,
): string[] {
  const end = `the data ends at ${figureText('time', UTC)(asOf)}`
  return [
    ...(zoneProblem === null ? [] : [zoneWords[zoneProblem]]),
    ...(endsEarly && !isInLead
      ? [`Incomplete: the period ends on ${date(addDays(to, -1))}, but ${end}.`]
      : []),
  ]
}

const zoneWords = {
  unset: 'No time zone is set in the report, the configuration or the account: UTC is used.',
  unknown: 'The account’s time zone is unknown: UTC is used.',
}

/** Returns warnings about a scheduled handover that is the first, or has data of many days, or no new data. */
export function handoverWarnings(
  { shift, notes = [] }: ShiftOptions,
  { asOfInstant, timezone }: Pick<Frame, 'asOfInstant' | 'timezone'>,
): readonly string[] {
  if (!shift) return [...notes, 'No handover was delivered before: this one covers the last 24 hours.']
  const days = (asOfInstant.getTime() - shift.asOf.getTime()) / dayMs
  const late = `The last handover was delivered more than ${LISTED_DAYS} days ago: incidents since then are counted, not listed.`
  if (days > LISTED_DAYS) return [...notes, late]
  if (days > 0) return notes
  const time = plain(format(localTime(shift.asOf, timezone), 'time', { timezone: 'UTC', year: '' }))
  return [...notes, `No new data since ${time}.`]
}
