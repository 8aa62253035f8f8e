import { Bug, FaultlineError, MachineError, type StatementFault } from './errors.ts'

/** What an error may mean that is not ours. */
interface Row {
  /** What its message says; names in double quotes are left out of it, since they may hold any word. */
  readonly says: RegExp
  /** What to do about it, whatever was being done. */
  readonly next?: string
}

const MAY_WRITE =
  'Check that this user may write the file and its folder, and that the disk is not read-only.'

/**
 * What errors of others say, what that means, and what to do: the only place that reads their words. The machine's are in the
 * words of Node and of DuckDB, the rest in those of whom it is about.
 */
const MEANINGS = {
  // The machine
  diskFull: {
    says: /ENOSPC|EDQUOT|no space left|disk full|max_temp_directory_size/i,
    next: 'Free disk space, or raise the quota, then run it again.',
  },
  fileTooLarge: {
    says: /EFBIG|file too large/i,
    next: 'Raise the limit on the size of files (`ulimit -f`), or put the file where larger ones may lie, then run it again.',
  },
  tooManyFiles: {
    says: /EMFILE|ENFILE|too many open files/i,
    next: 'Allow more open files (`ulimit -n`), or close other programs, then run it again.',
  },
  memory: {
    says: /out of memory|memory limit|ENOMEM|array buffer allocation|string longer than|invalid string length|bad_alloc/i,
    next: 'It needs more memory than it may use: ask for less at once, or raise `reporting.memoryLimit` or `sync.memoryLimit` in config.json.',
  },
  otherDisk: {
    says: /EXDEV|cross-device/i,
    next: 'Put the file and its folder on one file system: a rename cannot cross to another.',
  },
  forbidden: {
    // In read-only mode DuckDB opens what it is asked to.
    says: /EACCES|EPERM|EROFS|ETXTBSY|permission denied|not permitted|read-only(?! mode)/i,
    next: MAY_WRITE,
  },
  brokenDisk: {
    says: /\bEIO\b|i\/o error|input\/output error/i,
    next: 'The disk could not be read or written: look at its health before anything else.',
  },
  // A file of DuckDB
  damaged: {
    says: /corrupt|checksum|not a valid duckdb|replaying wal|deserializ|could not read enough bytes|database has been invalidated/i,
    next: 'The file is damaged: move it away, and sync again or bring back a backup. Look at the disk it lies on, too.',
  },
  damagedLog: { says: /corrupt wal file/i },
  /** DuckDB met something that it takes for impossible: on what it has just read, that is damage. */
  impossible: { says: /^INTERNAL Error/ },
  /** The first is what DuckDB says of data.json or a.csv, which it would read into a database in memory. */
  notDatabase: { says: /in-memory database in read-only|not a valid duckdb database/i },
  locked: {
    says: /could not set lock/i,
    next: 'Another process is writing to it. Read the published copy, or wait until the sync is done.',
  },
  unopenable: { says: /cannot open file/i, next: MAY_WRITE },
  ofFiles: { says: /^(IO|Out of Memory|Fatal|FATAL) Error\b/ },
  // A statement
  unknownName: { says: /does not exist/ },
  /** DuckDB makes a type of the values first. */
  pivotFirst: { says: /__pivot_enum_/ },
  isView: { says: /is of type View/ },
  noStatement: { says: /^Parser Error/ },
  // The catalogue of a lake: PostgreSQL and DuckLake
  unreachable: {
    says: /unable to connect|connection (refused|to server)|server closed/i,
    next: 'Check that PostgreSQL runs there, and the address, user and password (FAULTLINE_LAKE_PASSWORD, `lake.passwordFile`).',
  },
  otherData: {
    says: /DATA_PATH/,
    next: 'The lake keeps its rows elsewhere: correct `lake.data`.',
  },
  lockTimeout: { says: /lock timeout/ },
  /** An instance that had such an error answers nothing any more. */
  spent: { says: /^(FATAL|INTERNAL)|invalidated/ },
  // Others
  proxyRefused: { says: /^Proxy response/ },
} satisfies Record<string, Row>

type Meaning = keyof typeof MEANINGS

/** What is wrong with the machine: then the file may be good. */
const OF_MACHINE = ['diskFull', 'fileTooLarge', 'tooManyFiles', 'memory'] as const
/** What is looked for, by what was done; the first that is said counts. Of rights PostgreSQL speaks in words that are not about files. */
const OF = {
  reading: [...OF_MACHINE, 'damaged', 'brokenDisk', 'locked'],
  writing: [...OF_MACHINE, 'damaged', 'otherDisk', 'forbidden', 'brokenDisk', 'unopenable'],
  lake: ['unreachable', 'otherData', ...OF_MACHINE],
} as const

/** What was thrown says of itself. DuckDB's is without what it was doing. */
export function reasonOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause)
  return message.replace(/^Failed to \w+ statements?: /, '')
}

/** The first line of it: DuckDB's next ones show the statement. */
export function firstLineOf(cause: unknown): string {
  return reasonOf(cause).split('\n', 1)[0] ?? ''
}

/** Whether an error means that. */
export function matchesMeaning(cause: unknown, meaning: Meaning): boolean {
  return MEANINGS[meaning].says.test(withoutNames(reasonOf(cause)))
}

/** What to do about an error, by what was done; undefined when it is about something else. */
export function suggestedFix(cause: unknown, doing: keyof typeof OF = 'writing'): string | undefined {
  const found = OF[doing].find((meaning) => matchesMeaning(cause, meaning))
  return found && MEANINGS[found].next
}

function withoutNames(reason: string): string {
  return reason.replace(/"[^"]*"/g, '""')
}

/** Whether an error of DuckDB says that its file is damaged; undefined when it is about something else. */
export function isCorruption(cause: unknown): boolean | undefined {
  if ([...OF_MACHINE, 'forbidden' as const, 'locked' as const].some((one) => matchesMeaning(cause, one)))
    return false
  return matchesMeaning(cause, 'damaged') || matchesMeaning(cause, 'impossible') || undefined
}

/** Whether another committed into a lake between the beginning of a transaction and its commit, which then did nothing. */
export function isCommitConflict(cause: unknown): boolean {
  return reasonOf(cause).includes('ducklake_snapshot_pkey')
}

/** The process that holds a lock. */
export function lockHolderPid(cause: unknown): string | undefined {
  return /\(PID (\d+)\)/.exec(reasonOf(cause))?.[1]
}

/** Where DuckDB sees the mistake of a statement, and what it says of it. */
export function statementFaultIn(cause: unknown): StatementFault {
  const reason = reasonOf(cause)
  const line = /^LINE (\d+):/m.exec(reason)?.[1]
  const hint = /^(?:Did you mean|Candidate).*$/m.exec(reason)?.[0]
  const missing = /^Catalog Error: Table with name (.+?) does not exist/.exec(reason)?.[1]
  const column = /^Binder Error: Referenced column "(.+?)" not found/.exec(reason)?.[1]
  return {
    ...(line && { line: Number(line) }),
    ...(hint && { hint }),
    ...(missing && { missing }),
    ...(column && { column }),
  }
}

/**
 * What an error of a lake says, on one line. A commit that fails is quoted in full, with the least and the greatest value of
 * every column: that is left out.
 */
export function lakeReasonOf(cause: unknown): string {
  return reasonOf(cause)
    .replace(/ query ".*":/s, ' a statement:')
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
}

/** Whatever was thrown, as an error of ours to be shown to people. */
export function toFaultlineError(cause: unknown): FaultlineError {
  if (cause instanceof FaultlineError) return cause
  const next = 'This is a bug in Faultline. Please report it with the command you ran.'
  return machineError(cause) ?? new Bug(reasonOf(cause), { next, cause })
}

/** An error of the system, of DuckDB's files or of memory, which is no fault of the program; undefined for any other. */
export function machineError(cause: unknown): MachineError | undefined {
  if (!(cause instanceof Error)) return undefined
  if (/^ERR_(MODULE_NOT_FOUND|DLOPEN_FAILED)$/.test(codeOf(cause))) {
    const next =
      'The installation is not complete (`npm ci` mends it), or too few files may be open (`ulimit -n`).'
    return new MachineError(cause.message, { next, cause })
  }
  const isSystem = 'syscall' in cause && 'code' in cause
  const isMemory = cause instanceof RangeError || /^Cannot create a string longer/.test(cause.message)
  const isFile = /^(IO|Out of Memory|Fatal|FATAL|Serialization|Permission) Error:/.test(cause.message)
  const next = suggestedFix(cause)
  if (!isSystem && !((isMemory || isFile) && next !== undefined)) return undefined
  return new MachineError(cause.message, { next, cause })
}

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
  const code = codeOf(cause)
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

function codeOf(cause: Error): string {
  return 'code' in cause ? String(cause.code) : ''
}
