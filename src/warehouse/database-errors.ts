import { FaultlineError, WarehouseError } from '../errors.ts'
import { firstLineOf, matchesMeaning, reasonOf, statementFaultIn, suggestedFix } from '../external-errors.ts'

interface Words {
  /** The next step to suggest if `suggestedFix` does not know the error. */
  readonly otherwise: string
  /** Sentence that earlier data is unchanged. */
  readonly kept?: string
  /** Whether to omit all but DuckDB's first line. Later lines can show a statement that the user did not write. */
  readonly isShort?: boolean
}

const WORDS = {
  reading: {
    otherwise:
      'Check that it is a DuckDB file that this user can read, or run `faultline sync` to create a new one.',
    isShort: true,
  },
  opening: {
    otherwise:
      'If the file is damaged, move it away: the next sync starts from the published copy, or from the service.',
  },
  writing: {
    otherwise: 'Sync again; if it fails in the same way, report this message.',
    kept: 'Earlier data is unchanged.',
  },
  publishing: {
    otherwise: 'Free up disk space or fix the permissions, then sync again.',
    kept: 'The previous copy is unchanged.',
  },
  exporting: {
    otherwise: 'Run it again; if it fails in the same way, report this message.',
    kept: 'Earlier exports are unchanged.',
    isShort: true,
  },
} satisfies Record<string, Words>

/** Adds a next step to an error from DuckDB. `what` is the start of the message. Keeps a FaultlineError unchanged. */
export function errorWhile(doing: keyof typeof WORDS, what: string, cause: unknown): FaultlineError {
  if (cause instanceof FaultlineError) return cause
  const { otherwise, kept, isShort }: Words = WORDS[doing]
  const next = suggestedFix(cause, doing === 'reading' ? 'reading' : 'writing') ?? otherwise
  return new WarehouseError(`${what}: ${isShort ? firstLineOf(cause) : reasonOf(cause)}`, {
    cause,
    next: kept === undefined ? next : `${next} ${kept}`,
  })
}

/** Explains why a file of the sync cannot be opened. */
export function openError(cause: unknown, path: string): FaultlineError {
  if (!matchesMeaning(cause, 'forbidden') && !matchesMeaning(cause, 'unopenable'))
    return errorWhile('opening', `The warehouse ${path} cannot be opened`, cause)
  return new WarehouseError(`The warehouse ${path} cannot be written.`, { cause, next: suggestedFix(cause) })
}

/** Explains why the published file cannot be opened. */
export function readError(cause: unknown, path: string): FaultlineError {
  if (!matchesMeaning(cause, 'notDatabase'))
    return errorWhile('reading', `The warehouse at ${path} cannot be opened`, cause)
  return new WarehouseError(`${path} is not a DuckDB file.`, {
    cause,
    next: 'Specify the file that `faultline sync` creates (--warehouse, or `warehouse` in config.json). If this is that file, it is damaged: move it away and sync again.',
  })
}

/** Keeps DuckDB's message about a statement, because it contains the position and suggestions. */
export function statementError(cause: unknown): FaultlineError {
  if (cause instanceof FaultlineError) return cause
  return new WarehouseError(reasonOf(cause), {
    cause,
    // Without this check, an error about a column named `checksum` would look like an error about a damaged file.
    next: matchesMeaning(cause, 'ofFiles') ? suggestedFix(cause) : undefined,
    statement: statementFaultIn(cause),
  })
}

/** @param doing a phrase such as "Storing 100 rows of incidents" */
export function writeError(doing: string, cause: unknown): FaultlineError {
  return errorWhile('writing', `${doing} failed`, cause)
}
