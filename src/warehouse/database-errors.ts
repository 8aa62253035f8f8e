import { FaultlineError, WarehouseError } from '../errors.ts'
import { firstLineOf, matchesMeaning, reasonOf, statementFaultIn, suggestedFix } from '../external-errors.ts'

/** What is said of an error besides what it means, by what was being done. */
interface Words {
  /** What to do where the error itself does not say it. */
  readonly otherwise: string
  /** What became of what was there before. */
  readonly kept?: string
  /** Whether DuckDB's further lines, which show the statement, are of no use: it is none of the reader's. */
  readonly isShort?: boolean
}

const WORDS = {
  reading: {
    otherwise:
      'Check that it is a DuckDB file that this user can read, or run `faultline sync` to make a new one.',
    isShort: true,
  },
  opening: {
    otherwise:
      'If the file is damaged, move it away: the next sync starts from the published copy, or from the service.',
  },
  writing: {
    otherwise: 'Sync again; if it fails in the same way, report this message.',
    kept: 'What was stored before is kept.',
  },
  publishing: {
    otherwise: 'Free disk space or mend the permissions, then sync again.',
    kept: 'The former copy is untouched.',
  },
  exporting: {
    otherwise: 'Run it again; if it fails in the same way, report this message.',
    kept: 'Nothing of an earlier export was touched.',
    isShort: true,
  },
} satisfies Record<string, Words>

/**
 * An error of DuckDB as one that says what failed, why, and what to do. An error of ours stays as it is.
 * @param what failed, such as "Storing 100 rows of incidents failed"
 */
export function errorWhile(doing: keyof typeof WORDS, what: string, cause: unknown): FaultlineError {
  if (cause instanceof FaultlineError) return cause
  const { otherwise, kept, isShort }: Words = WORDS[doing]
  const next = suggestedFix(cause, doing === 'reading' ? 'reading' : 'writing') ?? otherwise
  return new WarehouseError(`${what}: ${isShort ? firstLineOf(cause) : reasonOf(cause)}`, {
    cause,
    next: kept === undefined ? next : `${next} ${kept}`,
  })
}

/** Why a file of the sync cannot be opened. An error of ours stays as it is. */
export function openError(cause: unknown, path: string): FaultlineError {
  if (!matchesMeaning(cause, 'forbidden') && !matchesMeaning(cause, 'unopenable'))
    return errorWhile('opening', `The warehouse ${path} cannot be opened`, cause)
  return new WarehouseError(`The warehouse ${path} cannot be written.`, { cause, next: suggestedFix(cause) })
}

/** Why the file that readers are given cannot be opened. */
export function readError(cause: unknown, path: string): FaultlineError {
  if (!matchesMeaning(cause, 'notDatabase'))
    return errorWhile('reading', `The warehouse at ${path} cannot be opened`, cause)
  return new WarehouseError(`${path} is no DuckDB file.`, {
    cause,
    next: 'Name the file that `faultline sync` makes (--warehouse, or `warehouse` in config.json). If this is it, it is damaged: move it away, and sync again.',
  })
}

/** What DuckDB says of a statement: where in it the mistake is, and what may have been meant, is in its message, too. */
export function statementError(cause: unknown): FaultlineError {
  if (cause instanceof FaultlineError) return cause
  return new WarehouseError(reasonOf(cause), {
    cause,
    // Only of files and memory: a column may be called `checksum`.
    next: matchesMeaning(cause, 'ofFiles') ? suggestedFix(cause) : undefined,
    statement: statementFaultIn(cause),
  })
}

/** What went wrong while the warehouse was written. @param doing the step, such as "Storing 100 rows of incidents" */
export function writeError(doing: string, cause: unknown): FaultlineError {
  return errorWhile('writing', `${doing} failed`, cause)
}
