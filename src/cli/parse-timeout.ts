import { ConfigError } from '../errors.ts'
import { parseDuration } from '../settings/duration.ts'

/** Parses a `--timeout` such as `90s` to seconds. @throws ConfigError if it is invalid or exceeds `hours` */
export function parseTimeout(text: string, hours: number, next: string): number {
  const seconds = parseDuration(text)
  if (seconds !== undefined && seconds > 0 && seconds <= hours * 3_600) return seconds
  throw new ConfigError(`--timeout: invalid duration "${text}" (maximum ${hours}h).`, { next })
}
