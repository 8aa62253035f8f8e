/**
 * Base class of all errors. Low-level code throws errors, each stage adds context once, and only `cli/` prints them.
 */
export abstract class FaultlineError extends Error {
  abstract readonly exitCode: number
  /** One sentence on how to fix the error, if known. */
  readonly next: string | undefined
  /** Whether the same request could succeed in smaller parts, that is, with fewer rows or a shorter window. */
  readonly smallerMayWork: boolean

  constructor(
    message: string,
    options: { next?: string | undefined; cause?: unknown; smallerMayWork?: boolean | undefined } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = new.target.name
    this.next = options.next
    this.smallerMayWork = options.smallerMayWork ?? false
  }
}

/** Returns the message, and on the next line how to fix it. */
export function errorText({ message, next }: FaultlineError): string {
  return `${message}${next ? `\n  ${next}` : ''}`
}

/** Returns the message and how to fix it on one line, for logs. Other errors keep their own message. */
export function sentencesOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const next = error instanceof FaultlineError ? error.next : undefined
  return next === undefined ? error.message : `${error.message} ${next}`
}

/**
 * Invalid usage or configuration, found before anything started. `field` is set if a single configuration field is at fault.
 */
export class ConfigError extends FaultlineError {
  readonly exitCode = 2
  readonly field: string | undefined

  constructor(
    message: string,
    options: { next?: string | undefined; cause?: unknown; field?: string | undefined } = {},
  ) {
    super(message, options)
    this.field = options.field
  }
}

/** The service could not be reached, or its response was cut off, after all retries. */
export class NetworkError extends FaultlineError {
  readonly exitCode = 1
}

/** The service returned an error that retries cannot fix, or did not fix. */
export class ServiceError extends FaultlineError {
  readonly exitCode = 1
  readonly operation: string
  readonly code: string
  readonly status: number
  readonly requestId: string

  constructor(
    message: string,
    facts: {
      operation: string
      code: string
      status: number
      requestId: string
      next: string
      smallerMayWork?: boolean
    },
  ) {
    super(message, facts)
    this.operation = facts.operation
    this.code = facts.code
    this.status = facts.status
    this.requestId = facts.requestId
  }
}

/** One violation of the contract. `path` is dotted, e.g. `items.3.start_time`. */
export interface ContractIssue {
  path: string
  message: string
}

/** A request or response does not have the documented shape. */
export class ContractError extends FaultlineError {
  readonly exitCode = 1
  readonly operation: string
  readonly issues: readonly ContractIssue[]

  constructor(
    message: string,
    facts: {
      operation: string
      issues: readonly ContractIssue[]
      next: string
      smallerMayWork?: boolean
    },
  ) {
    super(message, facts)
    this.operation = facts.operation
    this.issues = facts.issues
  }
}

/** Location and cause of an error in a statement, from DuckDB. */
export interface StatementFault {
  /** 1-based line number in the statement. */
  readonly line?: number
  readonly hint?: string
  readonly missing?: string
  readonly column?: string
}

/** The warehouse file cannot be opened, locked, read or written, or rejects a statement. */
export class WarehouseError extends FaultlineError {
  readonly exitCode = 1
  readonly statement: StatementFault

  constructor(
    message: string,
    options: { next?: string | undefined; cause?: unknown; statement?: StatementFault } = {},
  ) {
    super(message, options)
    this.statement = options.statement ?? {}
  }
}

/** A report could not be delivered. `isTransient` means that a retry can succeed. */
export class DeliveryError extends FaultlineError {
  readonly exitCode = 1
  readonly isTransient: boolean

  constructor(
    message: string,
    options: { isTransient: boolean; next?: string | undefined; cause?: unknown },
  ) {
    super(message, options)
    this.isTransient = options.isTransient
  }
}

/** A report file is invalid, or one of its queries failed. `line` counts from 1 in `file`. */
export class ReportError extends FaultlineError {
  readonly exitCode = 1
  readonly file: string
  readonly line: number

  constructor(
    message: string,
    at: { file: string; line: number },
    options: { next?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, options)
    this.file = at.file
    this.line = at.line
  }
}

/** An unexpected error, which is a fault of Faultline. */
export class Bug extends FaultlineError {
  readonly exitCode = 1
}

/** The machine or its operating system refused an ordinary operation. */
export class MachineError extends FaultlineError {
  readonly exitCode = 1
}

/**
 * Returns `Did you mean "x"?` for the closest candidate. Candidates that differ only in case are all listed. If no candidate
 * is close, returns the only one that contains `word`, or undefined.
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

/** Returns the hint for an unknown name: the closest known name, or the list of all names. */
export function unknownName(word: string, candidates: Iterable<string>): string {
  const all = [...candidates]
  return closestMatch(word, all) ?? (all.length ? `Available: ${all.join(', ')}.` : 'None are available.')
}

/** Levenshtein distance, in which a swap of neighboring characters is one edit. */
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
