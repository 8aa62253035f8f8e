import { ConfigError } from '../../errors.ts'
import { isZone, nearZone } from '../../settings/zone.ts'
import { type Period, parsePeriod } from './parse-period.ts'

/** Parameters as written in front matter or on the command line. */
export interface RawParameters {
  period?: string | undefined
  timezone?: string | undefined
  /** `all`, a name, several names separated by commas, or a list of names. */
  team?: string | readonly string[] | undefined
  severity?: string | readonly string[] | undefined
  /** Names or ids of accounts, if the warehouse contains several. */
  account?: string | readonly string[] | undefined
  /** Values of configured dimensions, such as `{ service: 'checkout' }`. */
  dimensions?: Readonly<Record<string, string | readonly string[]>> | undefined
}

/** A list of names, or a text with names, which `namesIn` splits. Undefined means all. */
export type Asked = string | readonly string[] | undefined

export interface Parameters {
  period: Period
  /** Null if neither the report nor the caller sets a time zone. */
  timezone: string | null
  teams: Asked
  severities: Asked
  accounts: Asked
  dimensions: ReadonlyMap<string, Asked>
}

/** The default is all incidents of 13 weeks. @throws ConfigError */
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

/** @throws ConfigError for an unknown IANA time zone */
export function zone(name: string): string {
  if (isZone(name)) return name
  throw new ConfigError(`"${name}" is not a time zone.`, {
    next: nearZone(name) ?? 'Write for example Europe/Berlin or UTC.',
  })
}

/** Returns the names in a list or in a comma-separated text. Null means all. */
export function namesIn(value: Asked, known: readonly string[] = []): string[] | null {
  if (value === undefined) return null
  // Names in a list are used exactly as written. A name can be “All”, or start with a space.
  if (typeof value !== 'string') return value.length === 0 ? null : [...value]
  const chosen = splitNames(value, known).filter((name) => name !== '')
  return chosen.length === 0 || chosen.some((name) => name.toLowerCase() === 'all') ? null : chosen
}

/** Splits a text at commas, except inside known names that contain commas. */
function splitNames(text: string, known: readonly string[]): string[] {
  const alike = (piece: string) => piece.trim().toLowerCase()
  const pieces = text.split(',')
  const severals = known
    .map((name) => name.split(',').map(alike))
    .filter(({ length }) => length > 1)
    .toSorted((a, b) => b.length - a.length)
  const names: string[] = []
  while (pieces.length > 0) {
    const known = severals.find((one) => one.every((piece, i) => piece === alike(pieces[i] ?? '')))
    const name = pieces.splice(0, known?.length ?? 1).join(',')
    names.push(name.trim())
  }
  return names
}
