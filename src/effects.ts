import {
  appendFileSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** The clock, timers, random numbers and log. Tests pass their own object instead of patching globals. */
export interface Effects {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Milliseconds of a monotonic clock, with fractions. */
  elapsed(): number
  /** Resolves after `ms` milliseconds. Rejects with the signal's reason if aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** A number in [0, 1). */
  random(): number
  log: Log
}

/** A structured log. Its implementation removes secrets from messages and facts. */
export interface Log {
  debug(message: string, facts?: Record<string, unknown>): void
  info(message: string, facts?: Record<string, unknown>): void
  warn(message: string, facts?: Record<string, unknown>): void
}

export const silent: Log = { debug() {}, info() {}, warn() {} }

export function realEffects(log: Log = silent): Effects {
  return { now: Date.now, elapsed: () => performance.now(), random: Math.random, log, sleep }
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/** File modes before the umask: everyone can read, and only the owner can write. */
const MODE = 0o644
const FOLDER_MODE = 0o755

/**
 * Writes a temporary file and renames it, so that a failure or a power cut leaves the previous file unchanged. Replaces
 * a link at `path` instead of following it.
 * @throws the file system's error
 */
export function replaceFile(path: string, text: string | Uint8Array, mode = MODE): string {
  const folder = dirname(path)
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE })
  refusePlanted(folder)
  removeParts(path)
  const temporary = `${path}.${process.pid}.part`
  try {
    const file = openSync(temporary, 'wx', mode)
    try {
      writeFileSync(file, text)
    } finally {
      closeSync(file)
    }
    renameDurably(temporary, path)
  } catch (cause) {
    rmSync(temporary, { force: true })
    throw cause
  }
  return path
}

/**
 * Writes files and keeps other files in the folder. A failure or a power cut leaves each file in its previous or its new
 * version. All files are flushed together, which is much faster than `replaceFile` for each.
 * @throws the file system's error
 */
export function replaceMany(folder: string, files: Iterable<readonly [name: string, text: string]>): void {
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE })
  refusePlanted(folder)
  removeParts(folder, { recursive: true })
  const temporary = `${folder}.${process.pid}.part`
  mkdirSync(temporary, { mode: FOLDER_MODE })
  try {
    for (const [name, text] of files) writeFileSync(join(temporary, name), text, { mode: MODE })
    const names = readdirSync(temporary)
    for (const name of names) flush(join(temporary, name))
    for (const name of names) renameSync(join(temporary, name), join(folder, name))
    flushFolder(folder)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

/** Appends lines in one write. If a crash left a partial line at the end, starts on a new line. */
export function appendLines(path: string, lines: readonly string[], mode = 0o600): void {
  // O_NOFOLLOW rejects a link, which another user could have put there. Windows does not have this flag.
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)
  const file = openSync(path, flags, mode)
  try {
    const { size } = fstatSync(file)
    const last = Buffer.alloc(1)
    const isTorn = size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last.toString() !== '\n'
    appendFileSync(file, `${isTorn ? '\n' : ''}${lines.join('\n')}\n`)
  } finally {
    closeSync(file)
  }
}

/** Renames a closed file. After a power cut, `to` has either its previous content or the complete new content. */
export function renameDurably(from: string, to: string): void {
  flush(from)
  renameSync(from, to)
  flushFolder(dirname(to))
}

/** A renamed file is durable only after its folder is flushed, which contains the name. Windows cannot flush folders. */
function flushFolder(folder: string): void {
  if (process.platform !== 'win32') flush(folder)
}

/** Calls `act` after a delay of at most 24 days. Node fires a timer with a longer delay immediately. */
export function runAfter(ms: number, act: () => void): NodeJS.Timeout {
  return setTimeout(act, Math.min(ms, 2 ** 31 - 1))
}

/** Calls fsync on a file or a folder. */
export function flush(path: string): void {
  const handle = openSync(path, process.platform === 'win32' ? 'r+' : 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Rejects a folder that is a link owned by another user, who could redirect our files. @throws Error */
export function refusePlanted(folder: string): void {
  const link = lstatSync(folder, { throwIfNoEntry: false })
  const owner = process.getuid?.()
  if (!link?.isSymbolicLink() || link.uid === owner || link.uid === 0) return
  throw new Error(`${folder} is a link owned by another user`)
}

/** Removes temporary files of ended processes. A file with our own process id is from an ended process, too. */
function removeParts(path: string, { recursive } = { recursive: false }): void {
  const start = `${basename(path)}.`
  for (const name of readdirSync(dirname(path))) {
    const pid = name.startsWith(start) ? /^(\d+)\.part$/.exec(name.slice(start.length))?.[1] : undefined
    if (pid === undefined || (Number(pid) !== process.pid && isAlive(Number(pid)))) continue
    rmSync(join(dirname(path), name), { recursive, force: true })
  }
}

/** Whether a process is running. A zombie, which is common in a container without an init process, is not running. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !isZombie(pid)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function isZombie(pid: number): boolean {
  try {
    // A zombie has the letter Z after its program name. The name is in parentheses and can contain any character.
    return /\) Z [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
