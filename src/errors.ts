/**
 * The few errors of Faultline. Each says what happened, where, and what to do next. They are thrown low, get their
 * context once at a stage's edge, and are printed only in `cli/`. `exitCode` is the status the process ends with.
 */
export abstract class FaultlineError extends Error {
  abstract readonly exitCode: number
  /** One sentence on what the reader can do about it, if there is something. */
  readonly next: string | undefined
  /** Whether the same question asked in smaller parts (fewer rows, a shorter window) may be answered. */
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

/** What happened and, on a line of its own, what to do about it. */
export function errorText({ message, next }: FaultlineError): string {
  return `${message}${next ? `\n  ${next}` : ''}`
}

/** What happened and what to do about it on one line, for a log; what went wrong where nobody expected it, in its own words. */
export function sentencesOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const next = error instanceof FaultlineError ? error.next : undefined
  return next === undefined ? error.message : `${error.message} ${next}`
}

/** Usage or configuration is wrong; nothing was started. `field`: what of the configuration it is about, where one alone is. */
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

/** The service could not be reached, or its answer broke off, after all retries. */
export class NetworkError extends FaultlineError {
  readonly exitCode = 1
}

/** The service answered with an error that retries did not or cannot solve. */
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

/** One place where data does not fit the contract. `path` is dotted, e.g. `items.3.start_time`. */
export interface ContractIssue {
  path: string
  message: string
}

/** A request or a response does not have the shape the service's document promises. */
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

/** Where DuckDB sees the mistake of a statement. */
export interface StatementFault {
  /** Counts from 1 in the statement. */
  readonly line?: number
  /** What may have been meant, in DuckDB's words. */
  readonly hint?: string
  /** The table that is not there. */
  readonly missing?: string
  /** A column that is in none of its relations. */
  readonly column?: string
}

/** The warehouse file cannot be opened, locked, read or written, or a statement is not possible there. */
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

/** A report could not be delivered. `isTransient`: worth retrying. */
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

/** A report file is wrong, or a query in it failed. `line` counts from 1 in `file`. */
export class ReportError extends FaultlineError {
  readonly exitCode = 1
  readonly file: string
  readonly line: number

  constructor(
    message: string,
    at: { file: string; line: number },
    options: { next?: string; cause?: unknown } = {},
  ) {
    super(message, options)
    this.file = at.file
    this.line = at.line
  }
}

/** What no part of the program expected. */
export class Bug extends FaultlineError {
  readonly exitCode = 1
}

/** This machine, or the system it runs on, refused what any program would have asked for. */
export class MachineError extends FaultlineError {
  readonly exitCode = 1
}

/** `Did you mean "x"?` for the candidate closest to `word` (those that differ from it by case only), or the only one that it is a part of, or nothing. */
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

/** The `next` of an error about an unknown name: the closest known one, else the list of all. */
export function unknownName(word: string, candidates: Iterable<string>): string {
  const all = [...candidates]
  return closestMatch(word, all) ?? (all.length ? `There are ${all.join(', ')}.` : 'There are none.')
}

/** Levenshtein distance, with a swap of neighbours counted as one edit. */
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
