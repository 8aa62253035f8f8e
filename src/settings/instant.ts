/** A date or time as a person wrote it. */
export interface Instant {
  /** Milliseconds since the epoch; in UTC if no zone was written. */
  readonly ms: number
  /** `2026-01-31`, as written. */
  readonly day: string
  readonly hasClock: boolean
  readonly hasZone: boolean
}

const INSTANT =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s*(?:(Z)|([+-]\d\d)(?::?(\d\d))?)?)?$/

/**
 * Parses a date (`2026-01-31`) or a time (`2026-01-31T08:00`), with a zone or without.
 * @returns undefined if it is neither, or a day that its month does not have
 */
export function parseInstant(text: string): Instant | undefined {
  const [, day = '', clock, utc, hours, minutes = '00'] = INSTANT.exec(text.trim()) ?? []
  if (!isCalendarDay(day)) return undefined
  const zone = hours === undefined ? 'Z' : `${hours}:${minutes}`
  const ms = Date.parse(`${day}T${clock ?? '00:00'}${zone}`)
  if (Number.isNaN(ms)) return undefined
  return { ms, day, hasClock: clock !== undefined, hasZone: (utc ?? hours) !== undefined }
}

/** Whether the text is a day of the calendar, `2026-01-31`. */
export function isCalendarDay(text: string): boolean {
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  // Date.parse makes 2 March of 30 February.
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
}
