import { checkOptions, type Expected } from '../check-options.ts'
import { ConfigError } from '../errors.ts'
import type { Comparison } from '../judge/event-verdict.ts'
import { type QueryLimits, within } from '../warehouse/read/query-limits.ts'
import { openSource, SOURCE, type WarehouseSource } from './warehouse-source.ts'

/** An event, as in `reporting.events` of the configuration. */
export interface CompareEvent {
  /** A local date such as `2026-03-14`, in `timezone`. */
  readonly date: string
  readonly name: string
  /** Affected teams (default: all). */
  readonly teams?: readonly string[] | undefined
}

export interface CompareOptions extends QueryLimits, WarehouseSource {
  readonly events: readonly CompareEvent[]
  /** Name of the only event to compare (default: all events). */
  readonly event?: string | undefined
  /** Time zone of the dates (default: UTC). */
  readonly timezone?: string | undefined
}

const EXPECTED = {
  ...SOURCE,
  ...{ events: 'objects', event: 'text', timezone: 'text', signal: 'signal', timeout: 'number' },
} as const satisfies Expected<CompareOptions>

/**
 * Compares times and counts of the affected teams before and after each event. All other teams are the control group.
 * @throws ConfigError for an invalid option, WarehouseError for an unreadable warehouse or a timeout, or the signal's
 * reason if aborted
 */
export async function compare(options: CompareOptions): Promise<Comparison[]> {
  checkOptions('compare', options, EXPECTED)
  const { events, event, timezone = 'UTC', signal, timeout, ...source } = options
  const { isZone } = await import('../settings/zone.ts')
  const { eventRows, eventsSchema } = await import('../config/events-section.ts')
  const { compareEvents } = await import('../page/compare-events.ts')
  if (!isZone(timezone))
    throw new ConfigError('compare: `timezone` must be an IANA time zone, such as Europe/Berlin.')
  const read = eventsSchema.safeParse(events)
  if (!read.success) {
    const [{ path, message } = { path: [], message: '' }] = read.error.issues
    throw new ConfigError(`compare: events.${path.join('.')}: ${message}.`)
  }
  const reader = await openSource(source, { events: eventRows(read.data, timezone) })
  try {
    return await within({ signal, timeout }, reader.stop, () => compareEvents(reader, event))
  } finally {
    reader.close()
  }
}
