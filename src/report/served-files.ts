import { closeSync, constants, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { appendLines, replaceFile } from '../effects.ts'

/** A file in the reports folder that lists the files which `serve` shows, one relative path per line. */
const LIST = '.served-files'

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

/** The part of the list that this process has read. `id` changes if another file replaces the list. */
let known = { id: '', bytes: 0, paths: new Set<string>() }

/** Returns an empty set before the first report. */
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
  // A last line without a line break is still being written.
  const end = tail.lastIndexOf('\n') + 1
  known.bytes += end
  for (const line of tail.toString('utf8', 0, end).split('\n')) if (line !== '') known.paths.add(line)
  return known.paths
}

/** If most listed files are missing, removes them from the list. A name that is added meanwhile can be lost. */
export function shortenList(out: string): void {
  const listed = [...listedFiles(out)]
  const present = listed.filter((path) => existsSync(join(out, path)))
  if (2 * present.length < listed.length)
    replaceFile(join(out, LIST), present.map((path) => `${path}\n`).join(''))
}

/** Checks whether a name can be part of a listed path. Hidden names, `..` and names with control characters cannot. */
export function isPlainPart(part: string): boolean {
  return /^[^.\p{Cc}/\\][^\p{Cc}/\\]*$/u.test(part)
}

function isListable(path: string): boolean {
  return path.split('/').every(isPlainPart)
}

/** Opens a listed file. Undefined if it is missing, not listed, or reached through a symlink. */
export async function openListed(out: string, path: string): Promise<FileHandle | undefined> {
  if (!isListable(path) || !listedFiles(out).has(path)) return undefined
  try {
    const file = join(realpathSync(out), path)
    if (realpathSync(file) !== file) return undefined
    // Without O_NONBLOCK, opening a named pipe would wait. Windows has neither O_NOFOLLOW nor O_NONBLOCK.
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
