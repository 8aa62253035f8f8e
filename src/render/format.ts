import { utcFormat } from 'd3-time-format'
import type { Format } from './chart-spec.ts'
import { durationParts } from './duration.ts'
import { localTime } from './local-time.ts'
import type { Frame, Part, Value } from './result.ts'

/** What formatting needs to know of the page: the zone of instants, and the year that goes without saying. */
export interface FormatContext {
  timezone: string
  year: string
}

/** The context of a page: the year of its data goes without saying. */
export function contextOf({ timezone, asOf }: Pick<Frame, 'timezone' | 'asOf'>): FormatContext {
  return { timezone, year: asOf.slice(0, 4) }
}

/** What is printed where there is no value; never 0. */
export const dash: Part[] = [{ text: '–' }]

/** A value in the format asked for, as figures and units. Null and what cannot be shown that way is a dash. */
export function format(value: Value, as: Format, context: FormatContext): Part[] {
  if (value === null || value === '') return dash
  if (as === 'text') return [{ text: textOf(value, context) }]
  if (as === 'date' || as === 'time') return dateParts(value, as, context)
  const figure = numberOf(value)
  if (figure === null) return dash
  if (as === 'duration') return durationParts(figure)
  return as === 'percent' ? percentParts(figure) : numberParts(value)
}

/** The parts as one string, with narrow spaces that do not break. */
export function plain(parts: readonly Part[]): string {
  return parts.map((part, index) => (index > 0 ? (part.unit ? '\u202f' : '\u00a0') : '') + part.text).join('')
}

/** A number, or null when the value is none. A bigint beyond 2^53 loses digits: for drawing only. */
export function numberOf(value: Value | undefined): number | null {
  const figure = typeof value === 'bigint' ? Number(value) : value
  return typeof figure === 'number' && Number.isFinite(figure) ? figure : null
}

/** Any value as plain text. */
export function textOf(value: Value | undefined, context: FormatContext): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return plain(dateParts(value, 'time', context))
  if (typeof value === 'object')
    return JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each))
  return String(value)
}

function percentParts(share: number): Part[] {
  const percent = share * 100
  const size = Math.abs(percent)
  // What is not all is never printed as 100 %.
  if (size >= 99.5 && size < 100)
    return [{ text: String(Math.floor(percent * 10) / 10) }, { text: '%', unit: true }]
  return [{ text: trimmed(percent.toFixed(percent !== 0 && size < 9.95 ? 1 : 0)) }, { text: '%', unit: true }]
}

function numberParts(value: Value): Part[] {
  if (typeof value === 'bigint') return [{ text: grouped(String(value)) }]
  const figure = value as number
  if (Number.isInteger(figure)) return [{ text: grouped(figure.toFixed(0)) }]
  const decimals = Math.abs(figure) < 10 ? 2 : Math.abs(figure) < 100 ? 1 : 0
  return [{ text: grouped(trimmed(figure.toFixed(decimals))) }]
}

function trimmed(text: string): string {
  return (text.includes('.') ? text.replace(/\.?0+$/, '') : text).replace(/^-(?=0$)/, '').replace('-', '−')
}

/** Thousands apart by a narrow space, from five digits on. */
function grouped(text: string): string {
  const [whole = '', rest] = text.replace('-', '−').split('.')
  const spaced = whole.replace(/\D/g, '').length < 5 ? whole : whole.replace(/\B(?=(\d{3})+$)/g, '\u202f')
  return rest === undefined ? spaced : `${spaced}.${rest}`
}

const dayMonth = utcFormat('%-d\u00a0%b')
const dayMonthYear = utcFormat('%-d\u00a0%b\u00a0%Y')
const clock = utcFormat('%H:%M')

/** Local dates and times are read as if they were UTC: the process's own time zone never plays a part. */
export function localDate(text: string): Date {
  return new Date(text.length === 10 ? `${text}T00:00:00Z` : `${text.slice(0, 19)}Z`)
}

function dateParts(value: Value, as: 'date' | 'time', context: FormatContext): Part[] {
  const text = value instanceof Date ? localTime(value, context.timezone) : String(value)
  const local = localDate(text)
  if (Number.isNaN(local.getTime())) return dash
  const date = text.slice(0, 4) === context.year ? dayMonth(local) : dayMonthYear(local)
  return [{ text: as === 'date' ? date : `${date}\u00a0${clock(local)}` }]
}
