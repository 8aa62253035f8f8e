import { ConfigError } from '../../errors.ts'
import { isZone, nearZone } from '../../settings/zone.ts'
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

/** Names as they were written. Which a text says is told from those there are: see `namesIn`. Undefined: all. */
export type Asked = string | readonly string[] | undefined

export interface Parameters {
  period: Period
  /** Null: neither the report nor the caller says. */
  timezone: string | null
  teams: Asked
  severities: Asked
  accounts: Asked
  dimensions: ReadonlyMap<string, Asked>
}

/** Reads parameters; what is left out is 13 weeks of everything. Throws `ConfigError`. */
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

/** An IANA time zone, as it was written; throws `ConfigError` when it is none. */
export function zone(name: string): string {
  if (isZone(name)) return name
  throw new ConfigError(`"${name}" is not a time zone.`, {
    next: nearZone(name) ?? 'Write for example Europe/Berlin or UTC.',
  })
}

/**
 * Names of a list, which are taken as they are, or of a text with commas, of which one that is known may have some itself; null for none,
 * and for a text that says `all`.
 */
export function namesIn(value: Asked, known: readonly string[] = []): string[] | null {
  if (value === undefined) return null
  // A team may be called "All", or begin with a blank.
  if (typeof value !== 'string') return value.length === 0 ? null : [...value]
  const chosen = splitNames(value, known).filter((name) => name !== '')
  return chosen.length === 0 || chosen.some((name) => name.toLowerCase() === 'all') ? null : chosen
}

/**
 * The names of a text with commas between them. Of those that are known some have a comma themselves: as many pieces as make one, the
 * whole text first, stay together. How it is spelled is judged where it is looked up, so that a wrong spelling is told with the right one.
 */
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
