import { closeSync, constants, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { appendLines, replaceFile } from '../effects.ts'

/** Name of the list in the folder of reports: a path for each line, seen from that folder, with `/`. */
const LIST = '.served-files'

/** Adds files to the list of what `serve` shows. A file without a place in the list is never served, whatever its name is. */
export function listFiles(out: string, paths: readonly string[]): void {
  const listed = listedFiles(out)
  const missing = paths
    .map((path) => relative(out, path).split(sep).join('/'))
    .filter((path) => !listed.has(path) && isListable(path))
  if (missing.length > 0) appendLines(join(out, LIST), missing, 0o644)
}

/** Writes a file of the folder of reports, and lists it. */
export function writeListed(out: string, path: string, content: string | Uint8Array): void {
  listFiles(out, [replaceFile(join(out, path), content)])
}

/** What was read of a list: it only grows, so only its new lines are read. A replaced list is another file. */
let known = { id: '', bytes: 0, paths: new Set<string>() }

/** Returns the list; empty if no report was made in this folder. */
export function listedFiles(out: string): ReadonlySet<string> {
  const path = join(out, LIST)
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return new Set()
  const id = `${path} ${found.ino} ${found.birthtimeMs}`
  if (known.id !== id || found.size < known.bytes) known = { id, bytes: 0, paths: new Set() }
  const tail = Buffer.alloc(found.size - known.bytes)
  const file = openSync(path, 'r')
  try {
    readSync(file, tail, 0, tail.length, known.bytes)
  } finally {
    closeSync(file)
  }
  // A line that is being written has no end yet.
  const end = tail.lastIndexOf('\n') + 1
  known.bytes += end
  for (const line of tail.toString('utf8', 0, end).split('\n')) if (line !== '') known.paths.add(line)
  return known.paths
}

/**
 * Removes names whose files are gone, if they are more than half of the list. A name that another process adds in this moment is
 * missing until its page is made again.
 */
export function shortenList(out: string): void {
  const listed = [...listedFiles(out)]
  const present = listed.filter((path) => existsSync(join(out, path)))
  if (2 * present.length < listed.length)
    replaceFile(join(out, LIST), present.map((path) => `${path}\n`).join(''))
}

/** Whether a name may be one part of a listed path: not hidden, not upwards, and without characters that a line cannot hold. */
export function isPlainPart(part: string): boolean {
  return /^[^.\p{Cc}/\\][^\p{Cc}/\\]*$/u.test(part)
}

function isListable(path: string): boolean {
  return path.split('/').every(isPlainPart)
}

/**
 * Opens a listed file. No part of its path may be a link, so it lies where the list says.
 * @returns undefined if the list does not contain this path, or there is no such file
 */
export async function openListed(out: string, path: string): Promise<FileHandle | undefined> {
  if (!isListable(path) || !listedFiles(out).has(path)) return undefined
  try {
    const file = join(realpathSync(out), path)
    if (realpathSync(file) !== file) return undefined
    // Windows lacks two of these flags. A pipe of that name would be waited for.
    const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
    const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    if ((await handle.stat()).isFile()) return handle
    await handle.close()
    return undefined
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(String((error as NodeJS.ErrnoException).code)))
      return undefined
    throw error
  }
}
