import { checkOptions, type Expected } from '../check-options.ts'
import { ConfigError } from '../errors.ts'
import type { Comparison } from '../judge/event-verdict.ts'
import { type QueryLimits, within } from '../warehouse/read/query-limits.ts'
import { type OwnRules, settingsBy } from './own-settings.ts'
import { type LakeOptions, parseLocation } from './parse-location.ts'
import { resolveStorage } from './resolve-storage.ts'

/** An event, as in `reporting.events` of the configuration. */
export interface CompareEvent {
  /** A local date such as `2026-03-14`, in `timezone`. */
  readonly date: string
  readonly name: string
  /** Affected teams (default: all). */
  readonly teams?: readonly string[] | undefined
}

/** Events to compare, and the warehouse to read. */
export interface CompareOptions extends QueryLimits, OwnRules {
  /** Path of the DuckDB file that `sync` publishes, or the address of a lake. */
  readonly warehouse: string
  /** Access to the lake. */
  readonly lake?: LakeOptions | undefined
  readonly events: readonly CompareEvent[]
  /** Name of one event (default: each event). */
  readonly event?: string | undefined
  /** Time zone of the dates (default: UTC). */
  readonly timezone?: string | undefined
}

const EXPECTED = {
  ...{
    warehouse: 'required',
    lake: 'object',
    config: 'text',
    sql: 'text',
    events: 'objects',
    event: 'text',
    timezone: 'text',
  },
  ...{ signal: 'signal', timeout: 'number' },
} as const satisfies Expected<CompareOptions>

/**
 * Compares times and counts of the affected teams before and after each event, with all other teams as control group.
 * @throws ConfigError for an invalid option, WarehouseError for an unreadable warehouse or after the timeout, or the signal's
 * reason
 */
export async function compare(options: CompareOptions): Promise<Comparison[]> {
  checkOptions('compare', options, EXPECTED)
  const { warehouse, lake, config, sql, event, timezone = 'UTC', signal, timeout } = options
  const { isZone } = await import('../settings/zone.ts')
  const { eventRows, eventsSchema } = await import('../config/events-section.ts')
  const { compareEvents } = await import('../page/compare-events.ts')
  const { openReader } = await import('../warehouse/read/reader.ts')
  if (!isZone(timezone))
    throw new ConfigError('compare: `timezone` must be an IANA time zone, such as Europe/Berlin.')
  const read = eventsSchema.safeParse(options.events)
  if (!read.success) {
    const [{ path, message } = { path: [], message: '' }] = read.error.issues
    throw new ConfigError(`compare: events.${path.join('.')}: ${message}.`)
  }
  const events = eventRows(read.data, timezone)
  const reader = await openReader(await resolveStorage(await parseLocation(warehouse, lake)), {
    settings: { ...(await settingsBy({ config, sql })), events },
  })
  try {
    return await within({ signal, timeout }, reader.stop, () => compareEvents(reader, event))
  } finally {
    reader.close()
  }
}
