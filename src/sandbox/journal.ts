import type { OperationName } from '../contract/index.ts'
import type { Int64 } from '../contract/int64.ts'

/** One accepted write: what, who, when, and the request id it was answered with. */
export interface JournalEntry {
  readonly operation: OperationName
  /** Name of the key, and the member it spoke for. */
  readonly key: string
  readonly member_id: Int64
  /** Unix seconds, the sandbox's own. */
  readonly at: number
  readonly request_id: string
  /** Whether the document says that the call is audit-logged. */
  readonly audited: boolean
  readonly request: unknown
}

/** Where accepted writes are kept, in order. */
export interface Journal {
  readonly entries: readonly JournalEntry[]
  /** Returns when the entry is safe. @throws when it could not be written; then nothing may change */
  append(entry: JournalEntry): void
  /** Remembers that the clock was moved. */
  moved(now: number): void
  close(): void
}

/** A journal that lasts as long as the process. */
export function memoryJournal(): Journal {
  const entries: JournalEntry[] = []
  return {
    entries,
    append: (entry) => void entries.push(entry),
    moved() {},
    close() {},
  }
}
