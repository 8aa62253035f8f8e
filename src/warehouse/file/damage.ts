import { WarehouseError } from '../../errors.ts'
import { isLocked } from './lock.ts'
import { knownRemedy } from './write-error.ts'

/** A file of the warehouse holds something else than was written. `heal.ts` knows what to do about it. */
export class DamagedFile extends WarehouseError {
  readonly file: string

  constructor(file: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    super(`${file} is damaged: ${reason.split('\n', 1)[0]}`, {
      cause,
      next: 'The next `faultline sync` puts it right; to go back to the former published copy or to a backup, run `faultline restore`.',
    })
    this.file = file
  }
}

/** Whether an error of DuckDB, or one of ours that it caused, says that a file is damaged, and not its disk or its lock. */
export function isDamage(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (one instanceof DamagedFile) return true
    // Quoted names may hold any word.
    const reason = one.message.replace(/"[^"]*"/g, '')
    if (isLocked(one) || knownRemedy(reason)) return false
    if (DAMAGE.test(reason)) return true
  }
  return false
}

const DAMAGE =
  /corrupt|checksum|not a valid duckdb database|replaying wal|deserializ|could not read enough bytes|database has been invalidated|^INTERNAL Error/i
