import { FaultlineError, WarehouseError } from '../../errors.ts'

/**
 * What went wrong while the warehouse was written, with what to do about it. `doing` names the step, such as
 * "Storing 100 rows of incidents". An error of ours stays as it is.
 */
export function writeError(doing: string, cause: unknown): FaultlineError {
  if (cause instanceof FaultlineError) return cause
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new WarehouseError(`${doing} failed: ${reason}`, {
    cause,
    next: `${knownRemedy(reason) ?? 'Sync again; if it fails in the same way, report this message.'} What was stored before is kept.`,
  })
}

/** What to do about what DuckDB says of the machine; undefined when it is about something else. */
export function knownRemedy(reason: string): string | undefined {
  if (/no space left|disk full|max_temp_directory_size/i.test(reason))
    return 'Free disk space, then sync again.'
  if (/file too large|EFBIG/i.test(reason))
    return 'Raise the limit on the size of files (`ulimit -f`), or put the warehouse where larger ones may lie, then sync again.'
  if (/read-only|permission denied|operation not permitted/i.test(reason)) {
    return 'Check that this user may write the file and its folder, and that the disk is not read-only.'
  }
  if (/out of memory|memory limit/i.test(reason))
    return 'Give DuckDB more memory (`sync.memoryLimit` in the config), then sync again.'
  return undefined
}
