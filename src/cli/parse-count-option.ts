import { ConfigError } from '../errors.ts'

/** @throws ConfigError if the option is not a whole number of at least `least` */
export function parseCountOption(option: string, text: string | undefined, least = 1): number | undefined {
  if (text === undefined) return undefined
  const count = Number(text)
  if (!/^\d+$/.test(text) || count < least)
    throw new ConfigError(`${option}: "${text}" is not a whole number of at least ${least}.`)
  // Larger integers would lose digits.
  if (Number.isSafeInteger(count)) return count
  throw new ConfigError(`${option}: ${text} exceeds the maximum of ${Number.MAX_SAFE_INTEGER}.`)
}
