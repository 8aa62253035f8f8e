import { ConfigError } from '../errors.ts'

/** The number that an option gives, `least` or more; undefined where it is left out. @throws ConfigError for anything else */
export function parseCountOption(option: string, text: string | undefined, least = 1): number | undefined {
  if (text === undefined) return undefined
  const count = Number(text)
  if (!/^\d+$/.test(text) || count < least)
    throw new ConfigError(`${option}: "${text}" is not a whole number from ${least}.`)
  // A larger one would lose digits.
  if (Number.isSafeInteger(count)) return count
  throw new ConfigError(`${option}: ${text} is more than ${Number.MAX_SAFE_INTEGER}.`)
}
