import { durationParts, figureText, format, localTime, plain } from '../../render/format.ts'
import type { Frame } from '../../render/result-parts.ts'

export const NOT_COMPARED = 'not compared: previous data missing or incomplete'

/** @param minutes age of the data, which is mentioned from an hour on */
export const dataAsOf = (time: string, minutes = 0) =>
  `data as of ${time}${minutes < 60 ? '' : ` (${plain(durationParts(minutes * 60))} before this page was generated)`}`

/** Returns the period of a report, or the time of the data if it is about open incidents. */
export const periodText = (frame: Frame): string => (frame.isAboutOpen ? readText(frame) : rangeText(frame))

/** Returns `October 2026`, or `3 Aug – 1 Nov 2026 (13 weeks)`. */
export const rangeText = ({ label, span }: Pick<Frame, 'label' | 'span'>): string =>
  span === '1 month' ? label : `${label} (${span})`

/** Returns the time of the data. Omits the year if the text `beside` it ends with the same year. */
export function readText(frame: Frame, beside = ''): string {
  const year = frame.asOf.slice(0, 4)
  return plain(
    format(frame.asOf, 'time', { timezone: frame.timezone, year: beside.endsWith(year) ? year : '' }),
  )
}

/** Returns the period and the previous one as texts. A report about open incidents is not compared. */
export function periodsOf(frame: Frame): [string, ...string[]] {
  if (frame.isAboutOpen) return [periodText(frame)]
  if (frame.previousLabel === null) return [periodText(frame), NOT_COMPARED]
  // Months and longer units differ in length, so their dates are given.
  const [, equal] = /^(?:1 )?((?:\d+ )?(?:day|week)s?)$/.exec(frame.span) ?? []
  return equal === undefined
    ? [periodText(frame), `compared with ${withoutYear(frame.previousLabel, frame.label)}`]
    : [frame.label, `compared with the ${equal} before`]
}

/** Omits the year at the end if the text `beside` it ends with the same year. */
const withoutYear = (text: string, beside: string): string =>
  beside.endsWith(text.slice(-4)) ? text.replace(/\s\d{4}$/, '') : text

export const dataTo = (frame: Frame) => `incomplete: data to ${figureText('time', frame)(frame.asOf)}`

/** Data younger than this needs no note about its day. */
const OLD_MS = 20 * 3_600_000

/** Returns a note such as `data from Tuesday`, or null if the data is recent. @param now Unix ms */
export function oldData(frame: Pick<Frame, 'asOf' | 'asOfInstant' | 'timezone'>, now: number): string | null {
  const age = now - frame.asOfInstant.getTime()
  const day = frame.asOf.slice(0, 10)
  if (age < OLD_MS || day === localTime(new Date(now), frame.timezone).slice(0, 10)) return null
  return `data from ${age < WEEK_MS ? weekday.format(new Date(day)) : figureText('date', frame)(day)}`
}

const WEEK_MS = 6 * 24 * 3_600_000
const weekday = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' })
