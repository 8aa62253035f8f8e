import { ConfigError } from '../../errors.ts'
import { isZone, nearZone } from '../../settings/zone.ts'
import { type Period, parsePeriod } from './parse-period.ts'

/** Parameters as written in front matter or on the command line. */
export interface RawParameters {
  period?: string | undefined
  timezone?: string | undefined
  /** `all`, a name, several names with commas, or a list. */
  team?: string | readonly string[] | undefined
  severity?: string | readonly string[] | undefined
  /** Names or ids of accounts, if the warehouse contains several. */
  account?: string | readonly string[] | undefined
  /** Values of configured dimensions, such as `{ service: 'checkout' }`. */
  dimensions?: Readonly<Record<string, string | readonly string[]>> | undefined
}

/** Names as written. When the known names are available, `namesIn` splits a text into names. Undefined means all. */
export type Asked = string | readonly string[] | undefined

export interface Parameters {
  period: Period
  /** Null if neither the report nor the caller sets one. */
  timezone: string | null
  teams: Asked
  severities: Asked
  accounts: Asked
  dimensions: ReadonlyMap<string, Asked>
}

/** Parses parameters. The default is 13 weeks of everything. @throws ConfigError */
export function parseParameters(raw: RawParameters): Parameters {
  return {
    period: parsePeriod(raw.period ?? '13 weeks'),
    timezone: raw.timezone === undefined ? null : zone(raw.timezone),
    teams: raw.team,
    severities: raw.severity,
    accounts: raw.account,
    dimensions: new Map(Object.entries(raw.dimensions ?? {})),
  }
}

/** Checks an IANA time zone. @throws ConfigError if it is unknown */
export function zone(name: string): string {
  if (isZone(name)) return name
  throw new ConfigError(`"${name}" is not a time zone.`, {
    next: nearZone(name) ?? 'Write for example Europe/Berlin or UTC.',
  })
}

/** Returns the names in a list or a comma-separated text. Returns null, which means all, for the text `all`. */
export function namesIn(value: Asked, known: readonly string[] = []): string[] | null {
  if (value === undefined) return null
  // In a list, a team can be called “All”, and its name can start with a space.
  if (typeof value !== 'string') return value.length === 0 ? null : [...value]
  const chosen = splitNames(value, known).filter((name) => name !== '')
  return chosen.length === 0 || chosen.some((name) => name.toLowerCase() === 'all') ? null : chosen
}

/** Splits a text at commas, except inside known names with commas. Spelling is checked later, during lookup. */
function splitNames(text: string, known: readonly string[]): string[] {
  const alike = (piece: string) => piece.trim().toLowerCase()
  const pieces = text.split(',')
  const severals = known
    .map((name) => name.split(',').map(alike))
    .filter(({ length }) => length > 1)
    .toSorted((a, b) => b.length - a.length)
  const names: string[] = []
  for (let at = 0; at < pieces.length; ) {
    const count = severals.find((one) =>
      one.every((piece, i) => piece === alike(pieces[at + i] ?? '')),
    )?.length
    names.push(
      pieces
        .slice(at, at + (count ?? 1))
        .join(',')
        .trim(),
    )
    at += count ?? 1
  }
  return names
}
