import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { ConfigError } from '../errors.ts'

export function pathFrom(folder: string, path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(folder, path)
}

/** Maximum bytes in a secret file. A larger file is probably the wrong one. */
const MOST_BYTES = 65_536

/** Returns undefined if no path is given. @throws ConfigError if the file is unreadable or empty */
export function secretIn(path: string | undefined, what: string): string | undefined {
  if (path === undefined) return undefined
  const text = readSecret(path, what, 'Check the file and its mode.', { mayBreak: true })
  if (text !== '') return text
  throw new ConfigError(`${what} is missing: ${path} is empty.`)
}

/** @throws ConfigError if the file is unreadable, or if it has several lines and `how.mayBreak` is not set */
export function readSecret(
  path: string,
  what: string,
  next: string,
  how: { readonly mayBreak?: boolean } = {},
): string {
  const text = textOf(path, what, next)
  if (how.mayBreak || !/[\r\n]/.test(text)) return text
  throw new ConfigError(`${what} in ${path} contains a line break.`, {
    next: 'The file must contain only one line.',
  })
}

function textOf(path: string, what: string, next: string): string {
  const message = `${what} cannot be read from ${path}`
  let why: string
  try {
    const file = statSync(path)
    // A device such as /dev/zero never ends, and a pipe without a writer blocks the process.
    if (!file.isFile()) why = 'which is not a file'
    else if (file.size > MOST_BYTES) why = 'which contains more than 64 KB'
    else return readFileSync(path, 'utf8').trim()
  } catch (cause) {
    throw new ConfigError(`${message}.`, { cause, next })
  }
  throw new ConfigError(`${message}, ${why}.`, {
    next: 'Write only the secret to a file, and enter its path.',
  })
}

/** Returns how to make a file readable. In a container, the file often belongs to another user. */
export function unreadable(path: string, cause: unknown, own = process.getuid?.()): string {
  const file = statSync(path, { throwIfNoEntry: false })
  if ((cause as NodeJS.ErrnoException).code !== 'EACCES' || !file || own === undefined)
    return 'Check the path and its permissions.'
  const mode = (file.mode & 0o777).toString(8).padStart(4, '0')
  return `It belongs to user ${file.uid} with mode ${mode}, but this process runs as user ${own}. Run chmod 0644 (the file contains no key), or run as that user.`
}
