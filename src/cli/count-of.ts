import { ConfigError } from '../errors.ts'

/** The number that an option gives, `least` or more; undefined where it is left out. @throws ConfigError for anything else */
export function countOf(option: string, text: string | undefined, least = 1): number | undefined {
  if (text === undefined) return undefined
  const count = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(count) && count >= least) return count
  throw new ConfigError(`${option}: "${text}" is not a whole number from ${least}.`)
}
