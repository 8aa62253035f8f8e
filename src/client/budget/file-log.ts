import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  statfsSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { BudgetLog } from './log.ts'
import { type BudgetRecord, formatRecord, parseRecord } from './record.ts'

/** A new file is begun after this long, milliseconds: two of them reach back further than any record matters. */
export const BUCKET_MS = 300_000

/** A full limit writes a fiftieth of it in that time. */
const BYTES_MOST = 32 * 1024 * 1024
/** Longer than any line. */
const LINE_MOST = 200
const OLD_MS = 3_600_000
const OURS = /^[0-9a-f]{32}\.\d+\.log$/

/** Appending is not atomic on these (statfs(2)): NFS, SMB, SMB2, CIFS, AFS, 9P, and what programs provide (FUSE). */
const NETWORK_FILE_SYSTEMS = new Set([
  0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x5346414f, 0x01021997, 0x65735546,
])

interface OpenFile {
  readonly fd: number
  readonly bucket: number
  /** Bytes read so far. */
  offset: number
  /** The beginning of a line whose end was not there yet. */
  rest: string
}

/**
 * A log as a file that processes append to. The kernel puts each append behind all others, whole, so the file is one
 * order for everybody without a lock, and what a killed process has written stays.
 *
 * Files follow each other by time. A process writes to the file of its time, and looks at the clock again after
 * that: when the next file's time has begun meanwhile, it writes once more, into that one, and the later place counts.
 * So nothing that matters is added to a file whose time is over, and reading it once to its end is enough.
 * @param name of the account, 32 hexadecimal digits
 * @param clock milliseconds, the same for all processes of the machine
 * @throws from each of its functions, what the file system says
 */
export function fileLog(folder: string, name: () => string, clock: () => number): BudgetLog {
  let prefix: string | undefined
  let file: OpenFile | undefined
  let found: BudgetRecord[] = []
  const buffer = Buffer.allocUnsafe(64 * 1024)

  const bucketNow = () => Math.floor(clock() / BUCKET_MS)

  function open(bucket: number, flags: number): OpenFile {
    prefix ??= join(folder, name())
    const fd = openSync(
      `${prefix}.${bucket}.log`,
      flags | constants.O_RDWR | (constants.O_NOFOLLOW ?? 0),
      0o600,
    )
    return { fd, bucket, offset: 0, rest: '' }
  }

  /** The file of this time, opened; those before it are read to their ends. */
  function current(): OpenFile {
    const bucket = bucketNow()
    if (file?.bucket === bucket) return file
    const last = file
    file = undefined
    if (last !== undefined) finish(last)
    else prepareFolder(folder)
    if (last?.bucket !== bucket - 1) readEarlier(bucket - 1)
    file = open(bucket, constants.O_CREAT | constants.O_APPEND)
    sweep(folder)
    return file
  }

  function readEarlier(bucket: number) {
    try {
      finish(open(bucket, 0))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }

  function finish(one: OpenFile) {
    try {
      readOn(one)
    } finally {
      closeSync(one.fd)
    }
  }

  /** Reads what was added. Lines that are not ours are passed over: damage costs the requests it hides, no more. */
  function readOn(one: OpenFile) {
    let bytes: number
    do {
      bytes = readSync(one.fd, buffer, 0, buffer.length, one.offset)
      if (bytes === 0 && fstatSync(one.fd).size < one.offset) {
        // Somebody cut it short: what is added from here on would lie before where we are.
        one.offset = 0
        one.rest = ''
        bytes = readSync(one.fd, buffer, 0, buffer.length, 0)
      }
      one.offset += bytes
      if (one.offset > BYTES_MOST) throw new Error(`${prefix}.${one.bucket}.log is not ours`)
      const lines = (one.rest + buffer.toString('latin1', 0, bytes)).split('\n')
      one.rest = lines.pop()!.slice(-LINE_MOST)
      for (const line of lines) {
        const record = parseRecord(line)
        if (record !== undefined) found.push(record)
      }
    } while (bytes === buffer.length)
  }

  return {
    isShared: true,
    append(record) {
      let one: OpenFile
      do {
        one = current()
        // Begun with an end of line too: what somebody else could not finish shall not swallow it.
        const text = `\n${formatRecord(record)}`
        if (writeSync(one.fd, text) < text.length) throw new Error('the disk is full')
      } while (bucketNow() !== one.bucket)
    },
    read() {
      readOn(current())
      const records = found
      found = []
      return records
    },
    close() {
      if (file !== undefined) closeSync(file.fd)
      file = undefined
    },
  }
}

/** @throws when the folder cannot be made or is nothing to rely on */
function prepareFolder(folder: string) {
  try {
    // Not with its parents: a mistyped path is better told of than made.
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const found = lstatSync(folder)
  if (!found.isDirectory()) throw new Error(`${folder} is no folder`)
  const own = process.getuid?.()
  if (own !== undefined && (found.uid !== own || (found.mode & 0o022) !== 0))
    throw new Error(`others can write to ${folder}`)
  if (NETWORK_FILE_SYSTEMS.has(statfsSync(folder).type))
    throw new Error(`${folder} lies on a file system that does not append atomically`)
}

/** Takes away what nobody reads any more, of whatever account or boot. */
function sweep(folder: string) {
  for (const entry of readdirSync(folder)) {
    if (!OURS.test(entry)) continue
    const path = join(folder, entry)
    try {
      if (statSync(path).mtimeMs < Date.now() - OLD_MS) unlinkSync(path)
    } catch {
      // Another process was quicker.
    }
  }
}
