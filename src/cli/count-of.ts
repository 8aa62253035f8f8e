import { ConfigError } from '../errors.ts'

/** The number that an option gives, 1 or more; undefined where it is left out. @throws ConfigError for anything else */
export function countOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const count = Number(text)
  if (Number.isInteger(count) && count > 0) return count
  throw new ConfigError(`${option}: "${text}" is not a whole number from 1.`)
}
