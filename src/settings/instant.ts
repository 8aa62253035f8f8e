interface Instant {
  /** Milliseconds since the epoch. A text without a time zone counts as UTC. */
  readonly ms: number
  /** The date in the text, such as `2026-01-31`. */
  readonly day: string
  readonly hasClock: boolean
  readonly hasZone: boolean
}

const INSTANT =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s*(?:(Z)|([+-]\d\d)(?::?(\d\d))?)?)?$/

/** Parses a date or time, with or without a time zone. Undefined if the text is invalid or the day does not exist. */
export function parseInstant(text: string): Instant | undefined {
  const [, day = '', clock, utc, hours, minutes = '00'] = INSTANT.exec(text.trim()) ?? []
  if (!isCalendarDay(day)) return undefined
  const zone = hours === undefined ? 'Z' : `${hours}:${minutes}`
  const ms = Date.parse(`${day}T${clock ?? '00:00'}${zone}`)
  if (Number.isNaN(ms)) return undefined
  return { ms, day, hasClock: clock !== undefined, hasZone: (utc ?? hours) !== undefined }
}

export function isCalendarDay(text: string): boolean {
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  // Date.parse turns 30 February into 2 March.
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
}
