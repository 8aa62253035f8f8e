import { closeSync, constants, openSync, readSync, type Stats, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { ConfigError } from '../errors.ts'

/** Resolves a path in the configuration relative to the folder of the configuration. */
export function pathFrom(folder: string, path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(folder, path)
}

/** Maximum size of a file with a secret. It is much larger than any secret, and equals the capacity of a pipe. */
const MOST_BYTES = 65_536

/** Returns the secret in a file, if one is configured. @throws ConfigError if the file is unreadable or empty */
export function secretIn(path: string | undefined, what: string): string | undefined {
  if (path === undefined) return undefined
  const text = readSecret(path, what, 'Check the file and its mode.', { mayBreak: true })
  if (text !== '') return text
  throw new ConfigError(`${what} is missing: ${path} is empty.`)
}

/**
 * Returns the secret in a file, which may be empty. @throws ConfigError if the file is unreadable, or has several lines and
 * `mayBreak` is not set
 */
export function readSecret(
  path: string,
  what: string,
  next: string,
  how: { readonly mayBreak?: boolean } = {},
): string {
  const text = (pipesRead.get(path) ?? bytesOf(path, what, next)).toString('utf8').trim()
  if (how.mayBreak || !/[\r\n]/.test(text)) return text
  throw new ConfigError(`${what} in ${path} contains a line break.`, {
    next: 'The file must contain only one line.',
  })
}

/**
 * Cache of the contents of pipes, by path. A shell pipe `<(…)` can be read only once, but keys are needed repeatedly.
 */
const pipesRead = new Map<string, Buffer>()

/** Reads a file or pipe. Size and time are limited, because a device never ends and a pipe might have no writer. */
function bytesOf(path: string, what: string, next: string): Buffer {
  const cannot = (why: string, cause?: unknown) =>
    new ConfigError(`${what} cannot be read from ${path}${why}.`, { cause, next })
  const isPipe = kindOf(path, cannot)
  let bytes: Buffer | string
  try {
    // A blocking `open` of a pipe without a writer never returns. Windows has neither pipes nor the flag.
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

/** Whether the path is a pipe. @throws the error of `cannot` if it is neither a pipe nor a file */
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

/**
 * Interval between attempts to read a pipe. Its writer can start late or pause between lines, so the first byte and the
 * complete content have separate time limits.
 */
const WAIT_MS = 20
const WAITS_FOR_WRITER = 100
const WAITS_MOST = 500

/** Returns all bytes, or the reason for a failure. */
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
    // Blocks the thread, because the configuration is loaded synchronously.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS)
  }
  return size > MOST_BYTES ? 'which contains more than 64 KB' : bytes.subarray(0, size)
}

/** Returns the number of bytes read. Undefined if a writer is connected but has written nothing yet. */
function readSome(file: number, into: Buffer, at: number): number | undefined {
  try {
    return readSync(file, into, at, into.length - at, null)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined
    throw error
  }
}

/** Returns how to fix a file that cannot be read. In containers it often belongs to another user. */
export function unreadable(path: string, cause: unknown, own = process.getuid?.()): string {
  const file = statSync(path, { throwIfNoEntry: false })
  if ((cause as NodeJS.ErrnoException).code !== 'EACCES' || !file || own === undefined)
    return 'Check the path and its permissions.'
  const mode = (file.mode & 0o777).toString(8).padStart(4, '0')
  return `It belongs to user ${file.uid} with mode ${mode}, but this process runs as user ${own}. Run chmod 0644 (the file contains no key), or run as that user.`
}
