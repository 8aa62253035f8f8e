import { readFileSync, statSync } from 'node:fs'
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

/** What to do about a file that cannot be read: in a container it is often of another user. */
export function unreadable(path: string, cause: unknown, own = process.getuid?.()): string {
  const file = statSync(path, { throwIfNoEntry: false })
  if ((cause as NodeJS.ErrnoException).code !== 'EACCES' || !file || own === undefined)
    return 'Check the path and its permissions.'
  const mode = (file.mode & 0o777).toString(8).padStart(4, '0')
  return `It belongs to user ${file.uid} with mode ${mode}, and this process is user ${own}: chmod 0644, since no key is in it, or run as that user.`
}
