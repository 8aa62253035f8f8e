/**
 * The few errors of Faultline. Each says what happened, where, and what to do next. They are thrown low, get their
 * context once at a stage's edge, and are printed only in `cli/`. `exitCode` is the status the process ends with.
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

/** What happened and, on a line of its own, what to do about it. */
export function wordsOf({ message, next }: FaultlineError): string {
  return `${message}${next ? `\n  ${next}` : ''}`
}

/** Usage or configuration is wrong; nothing was started. */
export class ConfigError extends FaultlineError {
  readonly exitCode = 2
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

/** This machine, or the system it runs on, refused what any program would have asked for. */
export class MachineError extends FaultlineError {
  readonly exitCode = 1
}

/** What machines say, in the words of Node and of DuckDB, with what to do about it. */
const REMEDIES: readonly (readonly [pattern: RegExp, next: string])[] = [
  [
    /ENOSPC|EDQUOT|no space left|disk full|max_temp_directory_size/i,
    'Free disk space, or raise the quota, then run it again.',
  ],
  [
    /EFBIG|file too large/i,
    'Raise the limit on the size of files (`ulimit -f`), or put the file where larger ones may lie, then run it again.',
  ],
  [
    /EMFILE|ENFILE|too many open files/i,
    'Allow more open files (`ulimit -n`), or close other programs, then run it again.',
  ],
  [
    /out of memory|memory limit|ENOMEM|array buffer allocation|string longer than|invalid string length|bad_alloc/i,
    'It needs more memory than it may use: ask for less at once, or raise `reporting.memoryLimit` or `sync.memoryLimit` in config.json.',
  ],
  [
    /checksum|corrupt|database has been invalidated|not a valid duckdb/i,
    'The file is damaged: move it away, and sync again or bring back a backup. Look at the disk it lies on, too.',
  ],
  [
    /EXDEV|cross-device/i,
    'Put the file and its folder on one file system: a rename cannot cross to another.',
  ],
  [
    /EACCES|EPERM|EROFS|ETXTBSY|permission denied|not permitted|read-only/i,
    'Check that this user may write the file and its folder, and that the disk is not read-only.',
  ],
  [/\bEIO\b|i\/o error/i, 'The disk could not be read or written: look at its health before anything else.'],
]

/** Codes of Node, and their words: what sends mail puts a code of its own in their place. */
const CERTIFICATE = /^(DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/
const CERTIFICATE_WORDS = /^(self-signed certificate|unable to (get|verify) .*certificate)/
const PROTOCOL = /^(ERR_SSL_|ERR_TLS_|EPROTO$)/
const PROTOCOL_WORDS = /:SSL routines:/

/**
 * Why no encrypted connection came about, in words, and what to do: none of it gets better by asking again.
 * @returns undefined for any other error
 */
export function tlsFault(cause: Error): { readonly reason: string; readonly next: string } | undefined {
  const code = 'code' in cause ? String(cause.code) : ''
  if (CERTIFICATE.test(code) || CERTIFICATE_WORDS.test(cause.message))
    return {
      reason: `its certificate is signed by no authority that is known here (${cause.message})`,
      next: "If it is your company's own, name the certificate of its authority, a PEM file: NODE_EXTRA_CA_CERTS=/path/to/ca.pem.",
    }
  if (/^CERT_/.test(code))
    return {
      reason: `its certificate cannot be used (${cause.message})`,
      next: 'Check the clock of this machine; if it is right, the certificate has to be renewed there.',
    }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return { reason: 'its certificate is for another host', next: 'Check the host of the address.' }
  if (PROTOCOL.test(code) || PROTOCOL_WORDS.test(cause.message))
    return {
      reason: `what answers there does not speak TLS as this side does (${'reason' in cause ? cause.reason : code})`,
      next: 'Check the port of the address: behind https:// it has to be one for TLS, and not for plain HTTP.',
    }
  return undefined
}

/** What to do about what a machine says; undefined when it is about something else. */
export function remedyOf(reason: string): string | undefined {
  return REMEDIES.find(([pattern]) => pattern.test(reason))?.[1]
}

/** An error of the system, of DuckDB's files or of memory, which is no fault of the program; undefined for any other. */
export function machineError(cause: unknown): MachineError | undefined {
  if (!(cause instanceof Error)) return undefined
  if ('code' in cause && /^ERR_(MODULE_NOT_FOUND|DLOPEN_FAILED)$/.test(String(cause.code))) {
    const next =
      'The installation is not complete (`npm ci` mends it), or too few files may be open (`ulimit -n`).'
    return new MachineError(cause.message, { next, cause })
  }
  const isSystem = 'syscall' in cause && 'code' in cause
  const isMemory = cause instanceof RangeError || /^Cannot create a string longer/.test(cause.message)
  const isFile = /^(IO|Out of Memory|Fatal|FATAL|Serialization|Permission) Error:/.test(cause.message)
  const next = remedyOf(cause.message)
  if (!isSystem && !((isMemory || isFile) && next !== undefined)) return undefined
  return new MachineError(cause.message, { next, cause })
}

/** `Did you mean "x"?` for the candidate closest to `word` (those that differ from it by case only), or the only one that it is a part of, or nothing. */
export function suggestion(word: string, candidates: readonly string[]): string | undefined {
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
  return suggestion(word, all) ?? (all.length ? `There are ${all.join(', ')}.` : 'There are none.')
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
