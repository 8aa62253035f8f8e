import { ConfigError } from '../errors.ts'

/**
 * Parses a whole number of at least `least`. Returns undefined if the option is not given.
 * @throws ConfigError if it is invalid
 */
export function parseCountOption(option: string, text: string | undefined, least = 1): number | undefined {
  if (text === undefined) return undefined
  const count = Number(text)
  if (!/^\d+$/.test(text) || count < least)
    throw new ConfigError(`${option}: "${text}" is not a whole number of at least ${least}.`)
  // Larger integers would lose digits.
  if (Number.isSafeInteger(count)) return count
  throw new ConfigError(`${option}: ${text} exceeds the maximum of ${Number.MAX_SAFE_INTEGER}.`)
}
