interface Options {
  next?: string | undefined
  cause?: unknown
  smallerMayWork?: boolean
}

/** Base class of all errors. Only `cli/` prints errors. */
export abstract class FaultlineError extends Error {
  readonly exitCode: number = 1
  /** One sentence on how to fix the error, if known. */
  readonly next: string | undefined
  /** Whether a request for fewer rows or a shorter window could succeed. */
  readonly smallerMayWork: boolean

  constructor(message: string, options: Options = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = new.target.name
    this.next = options.next
    this.smallerMayWork = options.smallerMayWork ?? false
  }
}

export function errorText({ message, next }: FaultlineError): string {
  return `${message}${next ? `\n  ${next}` : ''}`
}

/** Returns the error message and how to fix the error, on one line for logs. */
export function sentencesOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error instanceof FaultlineError && error.next ? `${error.message} ${error.next}` : error.message
}

/** Invalid usage or configuration, found before anything started. */
export class ConfigError extends FaultlineError {
  override readonly exitCode = 2
  /** The wrong configuration field. Undefined if the error is not about exactly one field. */
  readonly field: string | undefined

  constructor(message: string, options: Options & { field?: string } = {}) {
    super(message, options)
    this.field = options.field
  }
}

/** The service could not be reached, or its response was cut off, after all retries. */
export class NetworkError extends FaultlineError {}

/** The service returned an error that retries cannot fix, or did not fix. */
export class ServiceError extends FaultlineError {
  readonly operation: string
  readonly code: string
  readonly status: number
  readonly requestId: string

  constructor(
    message: string,
    facts: Options & { operation: string; code: string; status: number; requestId: string },
  ) {
    super(message, facts)
    this.operation = facts.operation
    this.code = facts.code
    this.status = facts.status
    this.requestId = facts.requestId
  }
}

/** A value in a request or response that violates the documented API. `path` is dotted, e.g. `items.3.start_time`. */
export interface ContractIssue {
  path: string
  message: string
}

/** A request or response does not have the documented shape. */
export class ContractError extends FaultlineError {
  readonly operation: string
  readonly issues: readonly ContractIssue[]

  constructor(message: string, facts: Options & { operation: string; issues: readonly ContractIssue[] }) {
    super(message, facts)
    this.operation = facts.operation
    this.issues = facts.issues
  }
}

/** Details from DuckDB's message about an error in an SQL statement. */
export interface StatementFault {
  /** Line of the statement, counted from 1. */
  readonly line?: number
  /** DuckDB's suggestion for a misspelled name, such as `Did you mean "incidents"?` */
  readonly hint?: string
  /** Name of a table that does not exist. */
  readonly missing?: string
  /** Name of a column that does not exist. */
  readonly column?: string
}

/** The warehouse cannot be opened, locked, read or written, or an SQL statement failed. */
export class WarehouseError extends FaultlineError {
  readonly statement: StatementFault

  constructor(message: string, options: Options & { statement?: StatementFault } = {}) {
    super(message, options)
    this.statement = options.statement ?? {}
  }
}

export class DeliveryError extends FaultlineError {
  /** Whether a retry can succeed. */
  readonly isTransient: boolean

  constructor(message: string, options: Options & { isTransient: boolean }) {
    super(message, options)
    this.isTransient = options.isTransient
  }
}

/** A report file is invalid, or one of its queries failed. `line` counts from 1 in `file`. */
export class ReportError extends FaultlineError {
  readonly file: string
  readonly line: number

  constructor(message: string, at: { file: string; line: number }, options: Options = {}) {
    super(message, options)
    this.file = at.file
    this.line = at.line
  }
}

export class Bug extends FaultlineError {}

/** The operating system refused an ordinary operation, such as writing a file. */
export class MachineError extends FaultlineError {}

/**
 * Returns `Did you mean "x"?` for the most similar candidate, or else for the only candidate that contains `word`. If
 * several candidates differ from `word` only in upper and lower case, suggests all of them.
 */
export function closestMatch(word: string, candidates: readonly string[]): string | undefined {
  const wanted = word.toLowerCase()
  let best: { name: string; distance: number } | undefined
  const wider: string[] = []
  for (const name of candidates) {
    const distance = editDistance(wanted, name.toLowerCase())
    if (!best || distance < best.distance) best = { name, distance }
    if (wanted.length > 2 && name.toLowerCase().includes(wanted)) wider.push(name)
  }
  const inOtherCase = candidates.filter((name) => name.toLowerCase() === wanted)
  if (inOtherCase.length > 1) return `Did you mean ${inOtherCase.map((name) => `"${name}"`).join(' or ')}?`
  const isClose = best && best.distance <= Math.max(1, Math.floor(word.length / 3))
  const meant = isClose ? best?.name : wider.length === 1 ? wider[0] : undefined
  return meant && `Did you mean "${meant}"?`
}

/** Returns a hint for an unknown name: the most similar known name, or a list of all known names if none is similar. */
export function unknownName(word: string, candidates: Iterable<string>): string {
  const all = [...candidates]
  return closestMatch(word, all) ?? (all.length ? `Available: ${all.join(', ')}.` : 'None are available.')
}

/** Returns the Levenshtein distance, but counts a swap of neighboring characters as one edit. */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, change))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        row[j] = Math.min(row[j]!, rows[i - 2]![j - 2]! + 1)
      }
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}
