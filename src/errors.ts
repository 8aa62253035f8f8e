/**
 * The few errors of Faultline. Each says what happened, where, and what to do next; they are thrown low,
 * named once at a stage's edge, and printed only in `cli/`. `exitCode` is the process status they end in.
 */
export abstract class FaultlineError extends Error {
  abstract readonly exitCode: number
  /** One sentence on what the reader can do about it, if there is something. */
  readonly next: string | undefined

  constructor(message: string, options: { next?: string | undefined; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = new.target.name
    this.next = options.next
  }
}

/** Usage or configuration is wrong; nothing was started. */
export class ConfigError extends FaultlineError {
  readonly exitCode = 2
}

/** The service could not be reached, or its answer did not arrive whole, after all retries. */
export class NetworkError extends FaultlineError {
  readonly exitCode = 1
}

/** The service answered with an error envelope that retrying did not, or cannot, cure. */
export class ServiceError extends FaultlineError {
  readonly exitCode = 1
  readonly operation: string
  readonly code: string
  readonly status: number
  readonly requestId: string

  constructor(
    message: string,
    facts: { operation: string; code: string; status: number; requestId: string; next?: string | undefined },
  ) {
    super(message, { next: facts.next })
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
    facts: { operation: string; issues: readonly ContractIssue[]; next?: string | undefined },
  ) {
    super(message, { next: facts.next })
    this.operation = facts.operation
    this.issues = facts.issues
  }
}

/** The warehouse file cannot be opened, locked, read or written. */
export class WarehouseError extends FaultlineError {
  readonly exitCode = 1
}

/** A report was made, and did not get where it was to go. `isPassing`: it may get there when it is tried again. */
export class DeliveryError extends FaultlineError {
  readonly exitCode = 1
  readonly isPassing: boolean

  constructor(message: string, options: { isPassing: boolean; next?: string | undefined; cause?: unknown }) {
    super(message, options)
    this.isPassing = options.isPassing
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
