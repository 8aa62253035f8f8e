/** A stretch of time in which a zone's clocks run evenly: from `start` (Unix ms) on, they are `offset` ms ahead of UTC. */
export interface Stretch {
  readonly start: number
  readonly offset: number
}

/** No zone has changed its clocks twice within so long. */
const STEP = 6 * 3_600_000
const formats = new Map<string, Intl.DateTimeFormat>()

/**
 * The stretches of a zone between two instants, the first cut off at `from`. Clocks are asked every few hours; where
 * the answer changes, the second at which it does is found by halving.
 */
export function stretchesOf(zone: string, from: number, to: number): Stretch[] {
  const found: Stretch[] = [{ start: from, offset: offsetAt(zone, from) }]
  for (let at = from; at < to; at += STEP) {
    const last = found.at(-1)!
    const offset = offsetAt(zone, at + STEP)
    if (offset !== last.offset) found.push({ start: changeBetween(zone, at, at + STEP, last.offset), offset })
  }
  return found
}

/** Milliseconds that the zone's clocks are ahead of UTC at an instant of whole seconds. */
export function offsetAt(zone: string, instant: number): number {
  let format = formats.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-US-u-ca-iso8601-nu-latn', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    formats.set(zone, format)
  }
  const part: Record<string, number> = {}
  for (const { type, value } of format.formatToParts(instant)) part[type] = Number(value)
  const local = Date.UTC(part.year!, part.month! - 1, part.day!, part.hour!, part.minute!, part.second!)
  return local - Math.floor(instant / 1_000) * 1_000
}

function changeBetween(zone: string, before: number, after: number, offset: number): number {
  let low = before
  let high = after
  while (high - low > 1_000) {
    const middle = Math.floor((low + high) / 2_000) * 1_000
    if (offsetAt(zone, middle) === offset) low = middle
    else high = middle
  }
  return high
}
