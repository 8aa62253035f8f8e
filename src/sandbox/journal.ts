import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { OperationName } from '../contract/index.ts'
import type { Int64 } from '../contract/int64.ts'
import { parseJson, stringifyJson } from '../contract/json.ts'
import { flush } from '../effects.ts'
import { ConfigError } from '../errors.ts'

export interface JournalEntry {
  readonly operation: OperationName
  /** Name of the key. `member_id` is the member that the key acts for. */
  readonly key: string
  readonly member_id: Int64
  /** Unix seconds by the sandbox's clock. */
  readonly at: number
  readonly request_id: string
  /** Whether the service would record the call in the account's audit log. */
  readonly audited: boolean
  readonly request: unknown
}

export interface Journal {
  readonly entries: readonly JournalEntry[]
  /**
   * Writes an entry, and returns once the entry is on disk. @throws if that failed, so that the caller changes nothing
   */
  append(entry: JournalEntry): void
  moved(now: number): void
  close(): void
}

export function memoryJournal(): Journal {
  const entries: JournalEntry[] = []
  return {
    entries,
    append: (entry) => void entries.push(entry),
    moved() {},
    close() {},
  }
}

/** First line of a journal, which identifies the data to which the writes belong. */
export interface JournalHeader {
  readonly world: {
    readonly seed: number
    readonly incidents: number
    readonly data: string
    readonly story?: string
    readonly late?: number
    readonly account?: number
  }
  readonly now: number
}

export type OpenedJournal = ReturnType<typeof openJournal>

/** Opens a journal, or starts a new one with `header`. Drops a partial last line, which a crash may have left. */
export function openJournal(directory: string, header: JournalHeader, warn: (message: string) => void) {
  mkdirSync(directory, { recursive: true })
  const path = join(directory, 'journal.ndjson')
  const file = openSync(path, 'a+')
  const { values, bytes, torn } = readLines(path)
  if (torn) {
    ftruncateSync(file, bytes)
    warn(`${path} ended in the middle of a line; that write was never answered and is dropped`)
  }
  const write = (value: unknown) => {
    writeWhole(file, Buffer.from(`${stringifyJson(value)}\n`))
    fdatasyncSync(file)
  }
  const [first, ...rest] = values
  if (first === undefined) {
    write(header)
    flush(directory)
  }
  const lines = rest as (JournalEntry | { readonly clock: number })[]
  const entries = lines.filter((line): line is JournalEntry => !('clock' in line))
  const journal: Journal = {
    entries,
    append(entry) {
      write(entry)
      entries.push(entry)
    },
    moved: (now) => write({ clock: now }),
    close: () => closeSync(file),
  }
  return { header: (first ?? header) as JournalHeader, lines, journal }
}

function readLines(path: string): { values: unknown[]; bytes: number; torn: boolean } {
  const content = readFileSync(path)
  const values: unknown[] = []
  let from = 0
  for (let end = content.indexOf(10); end >= 0; end = content.indexOf(10, from)) {
    const isLast = end === content.length - 1
    try {
      values.push(parseJson(content.toString('utf8', from, end)))
    } catch (cause) {
      // A damaged line may have a line break, because parts of one write can reach the disk out of order.
      if (isLast) return { values, bytes: from, torn: true }
      throw new ConfigError(`${path}:${values.length + 1} is not JSON`, {
        cause,
        next: 'Restore the file, or use an empty directory.',
      })
    }
    from = end + 1
  }
  return { values, bytes: from, torn: from < content.length }
}

/** Writes a line. If only a part could be written, removes that part. @throws the error of the write */
function writeWhole(file: number, line: Buffer): void {
  let written = 0
  try {
    while (written < line.length) written += writeSync(file, line, written)
  } catch (error) {
    if (written > 0) ftruncateSync(file, fstatSync(file).size - written)
    throw error
  }
}
