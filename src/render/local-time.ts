const formats = new Map<string, Intl.DateTimeFormat>()

/** The local time of an instant in an IANA zone, as `2026-03-01T08:00:00`. Throws RangeError for an unknown zone. */
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
