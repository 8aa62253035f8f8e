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

/** Effects other than network and disk. Tests pass their own object instead of patching globals. */
export interface Effects {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Monotonic milliseconds since an arbitrary moment, with fractions. Changes of the clock have no effect. */
  elapsed(): number
  /** Resolves after `ms` milliseconds. Rejects with the signal's reason if aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** A number in [0, 1). */
  random(): number
  log: Log
}

/** Structured log. The sink removes secrets by value. */
export interface Log {
  debug(message: string, facts?: Record<string, unknown>): void
  info(message: string, facts?: Record<string, unknown>): void
  warn(message: string, facts?: Record<string, unknown>): void
}

export const silent: Log = { debug() {}, info() {}, warn() {} }

/** The real clock, timers and randomness, with the given log. */
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

/** Mode of pages and tables. Other users can read them if the umask permits. Only the owner can write. */
const MODE = 0o644
const FOLDER_MODE = 0o755

/**
 * Replaces a file atomically, by a write to a temporary file and a rename. After a failure or a power cut, the previous
 * file is unchanged. Creates the folder if missing, does not follow a link at `path`, and removes leftovers of killed
 * processes. The umask applies to `mode`. Returns the path.
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
 * Writes files to a folder, each one completely or not at all. Other files stay. Does not use fsync, so the next run must be
 * able to regenerate a file that a power cut damaged.
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

/** Appends lines in one write, on a new line if a crash left a partial line. The umask applies to the `mode` of a new file. */
export function appendLines(path: string, lines: readonly string[], mode = 0o600): void {
  // O_NOFOLLOW rejects a planted link. The flag does not exist on Windows.
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

/** Renames a closed file durably. After a power cut, `to` has either the complete new content or the previous content. */
export function renameDurably(from: string, to: string): void {
  flush(from)
  renameSync(from, to)
  // The folder stores the new name. Windows cannot flush folders.
  if (process.platform !== 'win32') flush(dirname(to))
}

/** Limits the delay of a timer to 24 days, because Node fires a timer with a longer delay immediately. */
export function runAfter(ms: number, act: () => void): NodeJS.Timeout {
  return setTimeout(act, Math.min(ms, 2 ** 31 - 1))
}

/** Waits until the content of a file, or the names in a folder, are on disk. */
export function flush(path: string): void {
  const handle = openSync(path, process.platform === 'win32' ? 'r+' : 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/**
 * Rejects a folder that is a link of another user, because that user could redirect the written files. @throws Error
 */
export function refusePlanted(folder: string): void {
  const link = lstatSync(folder, { throwIfNoEntry: false })
  const owner = process.getuid?.()
  if (!link?.isSymbolicLink() || link.uid === owner || link.uid === 0) return
  throw new Error(`${folder} is a link owned by another user`)
}

/**
 * Removes temporary files of this path that were left by processes that have ended, or by an earlier process with the same
 * id.
 */
function removeParts(path: string): void {
  const start = `${basename(path)}.`
  for (const name of readdirSync(dirname(path))) {
    const pid = name.startsWith(start) ? /^(\d+)\.part$/.exec(name.slice(start.length))?.[1] : undefined
    if (pid === undefined || (Number(pid) !== process.pid && isAlive(Number(pid)))) continue
    rmSync(join(dirname(path), name), { force: true })
  }
}

/** Whether a process runs on this machine. Zombies, as in a container without an init, count as ended. */
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
    // The state follows the name, which is in parentheses and can contain any character.
    return /\) Z [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
