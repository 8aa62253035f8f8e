import type { BudgetRecord } from './record.ts'

/** Records in one order that all who read it see alike. */
export interface BudgetLog {
  /** Whether other processes may write to it. */
  readonly isShared: boolean
  /** Adds a record behind all others. */
  append(record: BudgetRecord): void
  /** What was added since the last call, by anyone. */
  read(): BudgetRecord[]
  close(): void
}

/** A log of this client alone. */
export function memoryLog(unread: readonly BudgetRecord[] = []): BudgetLog {
  let added = [...unread]
  return {
    isShared: false,
    append: (record) => void added.push(record),
    read() {
      const records = added
      added = []
      return records
    },
    close() {},
  }
}

/** Writes to a log until that fails, then goes on alone, with one warning and without losing what it knew. */
export function safeLog(shared: BudgetLog, warn: (message: string) => void): BudgetLog {
  let log = shared
  let unread: BudgetRecord[] = []

  function attempt<Result>(act: () => Result): Result {
    try {
      return act()
    } catch (error) {
      if (log !== shared) throw error
      const reason = error instanceof Error ? error.message : String(error)
      warn(`the rate limits are not shared with other runs on this machine: ${reason}`)
      log = memoryLog(unread)
      shared.close()
      return act()
    }
  }
  return {
    get isShared() {
      return log.isShared
    },
    append(record) {
      attempt(() => log.append(record))
      if (log === shared) unread.push(record)
    },
    read() {
      const records = attempt(() => log.read())
      unread = []
      return records
    },
    close: () => log.close(),
  }
}
