import { closeSync, constants, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { appendLines, replaceFile } from '../effects.ts'

/** A file in the folder of reports. It lists the files that `serve` shows, with one relative path per line. */
const LIST = '.served-files'

/** Adds files to the list. */
export function listFiles(out: string, paths: readonly string[]): void {
  const listed = listedFiles(out)
  const missing = paths
    .map((path) => relative(out, path).split(sep).join('/'))
    .filter((path) => !listed.has(path) && isListable(path))
  if (missing.length > 0) appendLines(join(out, LIST), missing, 0o644)
}

export function writeListed(out: string, path: string, content: string | Uint8Array): void {
  listFiles(out, [replaceFile(join(out, path), content)])
}

/** The lines that this process has read. `id` changes if another file replaces the list. */
let known = { id: '', bytes: 0, paths: new Set<string>() }

/** Returns the list, which is empty before the first report. */
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
  // A line without an end is still being written.
  const end = tail.lastIndexOf('\n') + 1
  known.bytes += end
  for (const line of tail.toString('utf8', 0, end).split('\n')) if (line !== '') known.paths.add(line)
  return known.paths
}

/** Removes missing files from the list if they are more than half of it. Can lose a name that is added meanwhile. */
export function shortenList(out: string): void {
  const listed = [...listedFiles(out)]
  const present = listed.filter((path) => existsSync(join(out, path)))
  if (2 * present.length < listed.length)
    replaceFile(join(out, LIST), present.map((path) => `${path}\n`).join(''))
}

/** Checks whether a name can be a part of a listed path. Hidden names, `..` and control characters cannot. */
export function isPlainPart(part: string): boolean {
  return /^[^.\p{Cc}/\\][^\p{Cc}/\\]*$/u.test(part)
}

function isListable(path: string): boolean {
  return path.split('/').every(isPlainPart)
}

/** Opens a listed file. Undefined if it is missing, not listed, or reached by a symlink. */
export async function openListed(out: string, path: string): Promise<FileHandle | undefined> {
  if (!isListable(path) || !listedFiles(out).has(path)) return undefined
  try {
    const file = join(realpathSync(out), path)
    if (realpathSync(file) !== file) return undefined
    // Without O_NONBLOCK, opening a pipe would wait. Windows lacks the last two flags.
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
