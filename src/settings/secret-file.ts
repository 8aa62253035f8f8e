import { closeSync, constants, openSync, readSync, type Stats, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { ConfigError } from '../errors.ts'

/** The absolute path of a file that the configuration names, seen from its folder; undefined where it names none. */
export function pathFrom(folder: string, path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(folder, path)
}

/** Far more than a secret has, and no more than a pipe holds. */
const MOST_BYTES = 65_536

/**
 * The secret that a file holds and nothing else; undefined where no file is named.
 * @param what for the error: `The password of the mail server`
 * @throws ConfigError when the file cannot be read or is empty
 */
export function secretIn(path: string | undefined, what: string): string | undefined {
  if (path === undefined) return undefined
  const text = readSecret(path, what, 'Check the file and its mode.', { mayBreak: true })
  if (text !== '') return text
  throw new ConfigError(`${what} is to be in ${path}, which is empty.`)
}

/**
 * The same, and it may be empty.
 * @param how.mayBreak whether it may have several lines, which an app key never has
 * @throws ConfigError with `next` when the file cannot be read
 */
export function readSecret(
  path: string,
  what: string,
  next: string,
  how: { readonly mayBreak?: boolean } = {},
): string {
  const text = (pipesRead.get(path) ?? bytesOf(path, what, next)).toString('utf8').trim()
  if (how.mayBreak || !/[\r\n]/.test(text)) return text
  throw new ConfigError(`${what} in ${path} holds a line break.`, {
    next: 'Write it on one line, and nothing else into that file.',
  })
}

/** What pipes held, by path: `<(…)` of a shell gives its content once, and a key is asked for more often. */
const pipesRead = new Map<string, Buffer>()

/** A file or a pipe, read within bounds of size and time: a device never ends, and a pipe may have no writer. */
function bytesOf(path: string, what: string, next: string): Buffer {
  const cannot = (why: string, cause?: unknown) =>
    new ConfigError(`${what} cannot be read from ${path}${why}.`, { cause, next })
  const isPipe = kindOf(path, cannot)
  let bytes: Buffer | string
  try {
    // Of a pipe without a writer, an ordinary `open` never returns; Windows knows neither.
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      bytes = readWithin(file, isPipe)
    } finally {
      closeSync(file)
    }
  } catch (cause) {
    throw cannot('', cause)
  }
  if (typeof bytes === 'string') throw cannot(`, ${bytes}`)
  if (isPipe) pipesRead.set(path, bytes)
  return bytes
}

/** Whether the path is of a pipe and not of a file. @throws what `cannot` makes of anything else */
function kindOf(path: string, cannot: (why: string, cause?: unknown) => ConfigError): boolean {
  let stat: Stats
  try {
    stat = statSync(path)
  } catch (cause) {
    throw cannot('', cause)
  }
  if (stat.isFile() || stat.isFIFO()) return stat.isFIFO()
  throw cannot(', which is neither a file nor a pipe')
}

/** A writer may begin later, and think between two lines: so many waits for the first word of one that is not there, and for all. */
const WAIT_MS = 20
const WAITS_FOR_WRITER = 100
const WAITS_MOST = 500

/** The bytes until the end, or why there are none. */
function readWithin(file: number, isPipe: boolean): Buffer | string {
  const bytes = Buffer.alloc(MOST_BYTES + 1)
  let size = 0
  for (let waits = 0; size < bytes.length; ) {
    const count = readSome(file, bytes, size)
    size += count ?? 0
    if (count === 0 && (size > 0 || !isPipe)) break
    if (count) continue
    if (waits >= (count === 0 ? WAITS_FOR_WRITER : WAITS_MOST)) return 'a pipe into which nothing was written'
    waits++
    // Configuration is read in one go, by functions that wait for nothing else.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS)
  }
  return size > MOST_BYTES ? 'which holds more than 64 KB' : bytes.subarray(0, size)
}

/** How many bytes came; undefined where a writer is there and has written nothing yet. */
function readSome(file: number, into: Buffer, at: number): number | undefined {
  try {
    return readSync(file, into, at, into.length - at, null)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined
    throw error
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
