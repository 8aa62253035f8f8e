import { isZone, nearZone } from '../../config/zone.ts'
import { ConfigError, unknownName } from '../../errors.ts'
import { severities } from '../../render/drawing/category.ts'
import { type Period, parsePeriod } from './parse-period.ts'

/** Parameters as they are written in a report's front matter or on the command line. */
export interface RawParameters {
  period?: string | undefined
  timezone?: string | undefined
  /** `all`, a name, several with commas between, or a list. */
  team?: string | readonly string[] | undefined
  severity?: string | readonly string[] | undefined
  /** Names or numbers of accounts, where the warehouse holds several. */
  account?: string | readonly string[] | undefined
  /** Of dimensions of the configuration the values, as of a team: `{ service: 'checkout' }`. */
  dimensions?: Readonly<Record<string, string | readonly string[]>> | undefined
}

export interface Parameters {
  period: Period
  /** Null: neither the report nor the caller says. */
  timezone: string | null
  /** Null: all. */
  teams: string[] | null
  severities: string[] | null
  accounts: string[] | null
  /** Only those that are chosen. */
  dimensions: ReadonlyMap<string, readonly string[]>
}

/** Reads parameters; what is left out is 13 weeks of everything. Throws `ConfigError`. */
export function parseParameters(raw: RawParameters): Parameters {
  const chosen = namesIn(raw.severity)
  return {
    period: parsePeriod(raw.period ?? '13 weeks'),
    timezone: raw.timezone === undefined ? null : zone(raw.timezone),
    teams: namesIn(raw.team),
    severities: chosen?.map(severity) ?? null,
    accounts: namesIn(raw.account),
    dimensions: new Map(
      Object.entries(raw.dimensions ?? {}).flatMap(([name, values]) => {
        const chosen = namesIn(values)
        return chosen ? [[name, chosen] as const] : []
      }),
    ),
  }
}

/** An IANA time zone, as it was written; throws `ConfigError` when it is none. */
export function zone(name: string): string {
  if (isZone(name)) return name
  throw new ConfigError(`"${name}" is not a time zone.`, {
    next: nearZone(name) ?? 'Write for example Europe/Berlin or UTC.',
  })
}

function severity(name: string): string {
  const known = severities.find((each) => each.toLowerCase() === name.toLowerCase())
  if (known) return known
  throw new ConfigError(`"${name}" is not a severity.`, { next: unknownName(name, severities) })
}

/** Names of a list, which are taken as they are, or of a text with commas; null for none, and for a text that says `all`. */
export function namesIn(value: string | readonly string[] | undefined): string[] | null {
  if (value === undefined) return null
  // A team may be called "All", or begin with a blank.
  if (typeof value !== 'string') return value.length === 0 ? null : [...value]
  const chosen = value
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  return chosen.length === 0 || chosen.some((name) => name.toLowerCase() === 'all') ? null : chosen
}
