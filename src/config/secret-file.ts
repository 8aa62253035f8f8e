import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { ConfigError } from '../errors.ts'

/** The absolute path of a file that the configuration names, seen from its folder; undefined where it names none. */
export function pathFrom(folder: string, path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(folder, path)
}

/**
 * The secret that a file holds and nothing else; undefined where no file is named.
 * @param what for the error: `The password of the mail server`
 * @throws ConfigError when the file cannot be read or is empty
 */
export function secretIn(path: string | undefined, what: string): string | undefined {
  if (path === undefined) return undefined
  const text = readSecret(path, what, 'Check the file and its mode.')
  if (text !== '') return text
  throw new ConfigError(`${what} is to be in ${path}, which is empty.`)
}

/** The same, and it may be empty. @throws ConfigError with `next` when the file cannot be read */
export function readSecret(path: string, what: string, next: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (cause) {
    throw new ConfigError(`${what} cannot be read from ${path}.`, { cause, next })
  }
}
