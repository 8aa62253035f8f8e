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

/**
 * Everything a run takes from the outside world besides the network and the disk.
 * Production code uses `realEffects()`; tests pass their own object, and nothing is ever patched.
 */
export interface Effects {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Milliseconds since an arbitrary moment, with fractions. Monotonic: setting the clock does not change it. */
  elapsed(): number
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** A number in [0, 1). */
  random(): number
  log: Log
}

/** Structured log: a message and its fields. Secrets are removed by the sink, by value. */
export interface Log {
  debug(message: string, facts?: Record<string, unknown>): void
  info(message: string, facts?: Record<string, unknown>): void
  warn(message: string, facts?: Record<string, unknown>): void
}

export const silent: Log = { debug() {}, info() {}, warn() {} }

/** The real clock, timers and randomness, with the log given (default: silent). */
export function realEffects(log: Log = silent): Effects {
  return { now: Date.now, elapsed: () => performance.now(), random: Math.random, log, sleep }
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const timer = setTimeout(done, ms)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    function done() {
      signal?.removeEventListener('abort', stop)
      resolve()
    }
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/** Pages, tables and states are for others to read, as far as the umask lets them; only their owner writes. */
const MODE = 0o644
const FOLDER_MODE = 0o755

/**
 * Writes a file atomically: beside it first, then by rename, so that a failure or a power cut leaves the previous one as it
 * was, and no link at its name is followed. Creates the folder if missing, and removes what killed processes left of this
 * file. Returns the path; throws the file system's error. `mode` is less the umask.
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
 * Writes files of a folder, each whole under its name or not at all; others stay. They are many, and can be made again: what a
 * power cut leaves of them, the next run replaces.
 * @throws the file system's error
 */
export function replaceMany(folder: string, files: Iterable<readonly [name: string, text: string]>): void {
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE })
  refusePlanted(folder)
  const temporary = join(folder, `.${process.pid}.part`)
  try {
    for (const [name, text] of files) {
      rmSync(temporary, { force: true })
      writeFileSync(temporary, text, { mode: MODE, flag: 'wx' })
      renameSync(temporary, join(folder, name))
    }
  } finally {
    rmSync(temporary, { force: true })
  }
}

/**
 * Appends lines to a file in one write. A line that was torn when a process died stays alone.
 * @param mode less the umask, for a file that is created
 */
export function appendLines(path: string, lines: readonly string[], mode = 0o600): void {
  // Does not follow a planted link. Windows has no such flag.
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

/** Renames a closed file so that after a power cut its new name has all of it, or what had that name before. */
export function renameDurably(from: string, to: string): void {
  flush(from)
  renameSync(from, to)
  // The name is in the folder; Windows has no call for that.
  if (process.platform !== 'win32') flush(dirname(to))
}

/** Timers of Node reach 24 days, and end at once what is to last longer: here it lasts for those. */
export function runAfter(ms: number, act: () => void): NodeJS.Timeout {
  return setTimeout(act, Math.min(ms, 2 ** 31 - 1))
}

/** Waits until what was written to a file, or which names a folder has, is on the disk. */
export function flush(path: string): void {
  const handle = openSync(path, process.platform === 'win32' ? 'r+' : 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/**
 * A link that another user put there would lead what is written to where that user likes.
 * @throws Error which says so; nothing where there is no such name
 */
export function refusePlanted(folder: string): void {
  const link = lstatSync(folder, { throwIfNoEntry: false })
  const owner = process.getuid?.()
  if (!link?.isSymbolicLink() || link.uid === owner || link.uid === 0) return
  throw new Error(`${folder} is a link of another user`)
}

/** Parts of this file by processes that are no more; one of this id is not ours yet. */
function removeParts(path: string): void {
  const start = `${basename(path)}.`
  for (const name of readdirSync(dirname(path))) {
    const pid = name.startsWith(start) ? /^(\d+)\.part$/.exec(name.slice(start.length))?.[1] : undefined
    if (pid === undefined || (Number(pid) !== process.pid && isAlive(Number(pid)))) continue
    rmSync(join(dirname(path), name), { force: true })
  }
}

/** Whether a process of this machine is running. A zombie, as in a container without an init, is not. */
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
    // The state follows the name, which is in brackets and may hold any character.
    return /\) Z [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
