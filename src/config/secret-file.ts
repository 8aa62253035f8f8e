import { readFileSync } from 'node:fs'
import { ConfigError } from '../errors.ts'

/**
 * The secret that a file holds and nothing else; undefined where no file is named.
 * @param what for the error: `The password of the mail server`
 * @throws ConfigError when the file cannot be read or is empty
 */
export function secretIn(path: string | undefined, what: string): string | undefined {
  if (path === undefined) return undefined
  try {
    const text = readFileSync(path, 'utf8').trim()
    if (text !== '') return text
  } catch (cause) {
    throw new ConfigError(`${what} cannot be read from ${path}.`, {
      cause,
      next: 'Check the file and its mode.',
    })
  }
  throw new ConfigError(`${what} is to be in ${path}, which is empty.`)
}
