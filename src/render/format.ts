import { utcFormat } from 'd3-time-format'
import type { Frame, Part, Value } from './result-parts.ts'
import type { Format } from './spec.ts'

/** How to show times: their time zone, and the year to omit from dates. */
export interface FormatContext {
  timezone: string
  year: string
  /** Set if the column `week` contains months, as in a report on a year. */
  bucket?: Frame['bucket']
}

/** Dates on a page omit the year if it is the year in which the data ends. */
export function contextOf(frame: Pick<Frame, 'timezone' | 'asOf' | 'bucket'>): FormatContext {
  return { timezone: frame.timezone, year: frame.asOf.slice(0, 4), bucket: frame.bucket }
}

export function isNumeric(as: Format): boolean {
  return as === 'number' || as === 'duration' || as === 'percent'
}

export function formatOf(type: string): Format {
  if (type === 'DATE') return 'date'
  if (type.startsWith('TIMESTAMP')) return 'time'
  return /INT|DOUBLE|FLOAT|DECIMAL/.test(type) ? 'number' : 'text'
}

/** Shown for a missing value, because 0 would look like a real figure. */
export const dash: Part[] = [{ text: '–' }]

/** Returns a dash for null, for blank text and for values that do not fit the format. */
export function format(value: Value, as: Format, context: FormatContext): Part[] {
  // A blank text would be invisible, and its link could not be clicked.
  if (value === null || (typeof value === 'string' && value.trim() === '')) return dash
  if (as === 'text') return [{ text: textOf(value, context) }]
  if (as === 'date' || as === 'time') return dateParts(value, as, context)
  const figure = numberOf(value)
  if (figure === null) return dash
  if (as === 'duration') return durationParts(figure)
  return as === 'percent' ? percentParts(figure) : numberParts(value)
}

/** Formats a range, such as `30–37 min`, `−3 to 7%` or `4 min 28 s – 8 min 6 s`. A shared unit appears once. */
export function plainRange(low: readonly Part[], high: readonly Part[]): string {
  const isShort = low.length === 2 && high.length === 2 && low[1]!.text === high[1]!.text
  const between = low[0]?.text.startsWith('−') ? '\u00a0to\u00a0' : '–'
  return isShort ? `${low[0]!.text}${between}${plain(high)}` : `${plain(low)} – ${plain(high)}`
}

/** Joins the parts of a value with no-break spaces. There is no space before a percent sign. */
export function plain(parts: readonly Part[]): string {
  const space = ({ text, unit }: Part) => (!unit ? '\u00a0' : text === '%' ? '' : '\u202f')
  return parts.map((part, index) => (index > 0 ? space(part) : '') + part.text).join('')
}

/** Returns null if a value is not a finite number. A bigint above 2^53 loses precision. */
export function numberOf(value: Value | undefined): number | null {
  const figure = typeof value === 'bigint' ? Number(value) : value
  return typeof figure === 'number' && Number.isFinite(figure) ? figure : null
}

export function textOf(value: Value | undefined, context: FormatContext): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return plain(dateParts(value, 'time', context))
  return typeof value === 'object' ? jsonOf(value) : String(value)
}

export function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each))
}

function percentParts(share: number): Part[] {
  const percent = share * 100
  const size = Math.abs(percent)
  // A share just below 1 must not be rounded up to 100%.
  if (size >= 99.5 && size < 100)
    return [{ text: String(Math.floor(percent * 10) / 10) }, { text: '%', unit: true }]
  if (percent > 0 && percent < 0.05) return [{ text: '<0.1' }, { text: '%', unit: true }]
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

export function countText(count: number): string {
  return grouped(String(count))
}

function grouped(text: string): string {
  const [integer = '', rest] = text.replace('-', '−').split('.')
  const whole = integer.replace(/\B(?=(\d{3})+$)/g, ',')
  return rest === undefined ? whole : `${whole}.${rest}`
}

const dayMonth = utcFormat('%-d\u00a0%b')
const dayMonthYear = utcFormat('%-d\u00a0%b\u00a0%Y')
const clock = utcFormat('%H:%M')

/** Parses a local date or time as if it were UTC, so that the time zone of this machine has no effect. */
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

const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** Formats seconds with at most two units. Rounds before it chooses the units, so 59 min 59 s becomes 1 h. */
export function durationParts(seconds: number): Part[] {
  if (seconds <= -0.05) return [{ text: '−' }, ...durationParts(-seconds)]
  if (seconds < 9.95) return pair(Number(Math.abs(seconds).toFixed(1)), 's')
  if (seconds < 59.5) return pair(Math.round(seconds), 's')
  if (seconds < 10 * minute - 0.5) return split(Math.round(seconds), minute, 'min', 1, 's')
  if (seconds < hour - 30) return pair(Math.round(seconds / minute), 'min')
  if (seconds < day - 30) return split(Math.round(seconds / minute) * minute, hour, 'h', minute, 'min')
  if (seconds < 100 * day - hour / 2) return split(Math.round(seconds / hour) * hour, day, 'd', hour, 'h')
  return pair(Math.round(seconds / day), 'd')
}

function split(seconds: number, large: number, largeUnit: string, small: number, smallUnit: string): Part[] {
  const rest = (seconds % large) / small
  return [...pair(Math.floor(seconds / large), largeUnit), ...(rest === 0 ? [] : pair(rest, smallUnit))]
}

function pair(figure: number, unit: string): Part[] {
  return [{ text: grouped(String(figure)) }, { text: unit, unit: true }]
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Returns an instant as local time, such as `2026-03-01T08:00:00`. @throws RangeError for an unknown time zone */
export function localTime(instant: Date, timezone: string): string {
  let format = formats.get(timezone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-US-u-ca-iso8601-nu-latn', {
      timeZone: timezone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
    formats.set(timezone, format)
  }
  const part = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]))
  const year = String(part.year).padStart(4, '0')
  return `${year}-${part.month}-${part.day}T${part.hour}:${part.minute}:${part.second}`
}

/** Returns a formatter whose dates include the year. A missing value becomes a dash. */
export const figureText = (as: Format, { timezone }: Pick<Frame, 'timezone'>) => {
  return (value: Value | undefined) => plain(format(value ?? null, as, { timezone, year: '' }))
}
