import { Bug, FaultlineError, MachineError, type StatementFault } from './errors.ts'

interface Row {
  /** Matches the error message. Names in double quotes are removed first, because a name can contain any word. */
  readonly says: RegExp
  readonly next?: string
}

const MAY_WRITE =
  'Check that this user may write the file and its folder, and that the disk is not read-only.'

/** Error messages of Node, DuckDB, PostgreSQL and other software, and how to fix each error. */
const MEANINGS = {
  diskFull: {
    says: /ENOSPC|EDQUOT|no space left|disk full|max_temp_directory_size/i,
    next: 'Free up disk space, or raise the quota, then run it again.',
  },
  fileTooLarge: {
    says: /EFBIG|file too large/i,
    next: 'Raise the limit on file sizes (`ulimit -f`), or move the file to a file system without this limit, then run it again.',
  },
  tooManyFiles: {
    says: /EMFILE|ENFILE|too many open files/i,
    next: 'Allow more open files (`ulimit -n`), or close other programs, then run it again.',
  },
  memory: {
    says: /out of memory|memory limit|ENOMEM|array buffer allocation|string longer than|invalid string length|bad_alloc/i,
    next: 'The memory limit was exceeded. Request less data at once, or raise `reporting.memoryLimit` or `sync.memoryLimit` in config.json.',
  },
  otherDisk: {
    says: /EXDEV|cross-device/i,
    next: 'Put the file and its folder on the same file system, because a file cannot be renamed across file systems.',
  },
  forbidden: {
    // DuckDB writes "read-only mode" if we chose to open the file for reading only. Permissions are not the cause then.
    says: /EACCES|EPERM|EROFS|ETXTBSY|permission denied|not permitted|read-only(?! mode)/i,
    next: MAY_WRITE,
  },
  brokenDisk: {
    says: /\bEIO\b|i\/o error|input\/output error/i,
    next: 'The disk could not be read or written. Check its health first.',
  },
  damaged: {
    says: /corrupt|checksum|not a valid duckdb|replaying wal|deserializ|could not read enough bytes|database has been invalidated/i,
    next: 'The file is damaged. Move it away, then sync again or restore a backup. Also check the disk.',
  },
  damagedLog: { says: /corrupt wal file/i },
  /** An internal error in DuckDB. If DuckDB has just read a file, that file is damaged. */
  impossible: { says: /^INTERNAL Error/ },
  /** The first alternative is the message for files such as data.json or a.csv, which DuckDB would load into memory. */
  notDatabase: { says: /in-memory database in read-only|not a valid duckdb database/i },
  locked: {
    says: /could not set lock/i,
    next: 'Another process is writing to it. Read the published copy, or wait for the end of the sync.',
  },
  unopenable: { says: /cannot open file/i, next: MAY_WRITE },
  ofFiles: { says: /^(IO|Out of Memory|Fatal|FATAL) Error\b/ },
  unknownName: { says: /does not exist/ },
  /** DuckDB's `pivot` statement first creates an enum type whose name has this prefix. */
  pivotFirst: { says: /__pivot_enum_/ },
  isView: { says: /is of type View/ },
  noStatement: { says: /^Parser Error/ },
  unreachable: {
    says: /unable to connect|connection (refused|to server)|server closed/i,
    next: 'Check that PostgreSQL is running, and its address, user and password (FAULTLINE_LAKE_PASSWORD, `lake.passwordFile`).',
  },
  otherData: {
    says: /DATA_PATH/,
    next: 'The lake stores its data elsewhere. Correct `lake.data`.',
  },
  lockTimeout: { says: /lock timeout/ },
  /** After such an error, the DuckDB instance is unusable. */
  spent: { says: /^(FATAL|INTERNAL)|invalidated/ },
  proxyRefused: { says: /^Proxy response/ },
} satisfies Record<string, Row>

type Meaning = keyof typeof MEANINGS

const OF_MACHINE = ['diskFull', 'fileTooLarge', 'tooManyFiles', 'memory'] as const
/** Errors to look for, in this order. `lake` omits `forbidden`, because its advice is about file permissions. */
const OF = {
  reading: [...OF_MACHINE, 'damaged', 'brokenDisk', 'locked'],
  writing: [...OF_MACHINE, 'damaged', 'otherDisk', 'forbidden', 'brokenDisk', 'unopenable'],
  lake: ['unreachable', 'otherData', ...OF_MACHINE],
} as const

/** Returns the message of an error, without a prefix from DuckDB such as `Failed to execute statement:`. */
export function reasonOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause)
  return message.replace(/^Failed to \w+ statements?: /, '')
}

/** Returns the first line of an error message. In messages from DuckDB, the other lines show the statement. */
export function firstLineOf(cause: unknown): string {
  return reasonOf(cause).split('\n', 1)[0] ?? ''
}

export function matchesMeaning(cause: unknown, meaning: Meaning): boolean {
  return MEANINGS[meaning].says.test(reasonOf(cause).replace(/"[^"]*"/g, '""'))
}

export function suggestedFix(cause: unknown, doing: keyof typeof OF = 'writing'): string | undefined {
  const found = OF[doing].find((meaning) => matchesMeaning(cause, meaning))
  return found && MEANINGS[found].next
}

/** Whether an error means that a DuckDB file is damaged. Undefined if the message does not say. */
export function isCorruption(cause: unknown): boolean | undefined {
  if ([...OF_MACHINE, 'forbidden' as const, 'locked' as const].some((one) => matchesMeaning(cause, one)))
    return false
  return matchesMeaning(cause, 'damaged') || matchesMeaning(cause, 'impossible') || undefined
}

/** Whether a commit to the lake failed because another process committed first. The failed commit changed nothing. */
export function isCommitConflict(cause: unknown): boolean {
  return reasonOf(cause).includes('ducklake_snapshot_pkey')
}

export function lockHolderPid(cause: unknown): string | undefined {
  return /\(PID (\d+)\)/.exec(reasonOf(cause))?.[1]
}

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

/** Returns the message of a lake error on one line. Removes the quoted SQL, because it can contain stored data. */
export function lakeReasonOf(cause: unknown): string {
  return reasonOf(cause)
    .replace(/ query ".*":/s, ' a statement:')
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
}

export function toFaultlineError(cause: unknown): FaultlineError {
  if (cause instanceof FaultlineError) return cause
  const next = 'This is a bug in Faultline. Please report it with the command you ran.'
  return machineError(cause) ?? new Bug(reasonOf(cause), { next, cause })
}

/** Converts an operating-system, DuckDB file or out-of-memory error. Returns undefined for any other error. */
export function machineError(cause: unknown): MachineError | undefined {
  if (!(cause instanceof Error)) return undefined
  if (/^ERR_(MODULE_NOT_FOUND|DLOPEN_FAILED)$/.test(codeOf(cause))) {
    const next =
      'The installation is incomplete (run `npm ci`), or the limit on open files is too low (`ulimit -n`).'
    return new MachineError(cause.message, { next, cause })
  }
  const isSystem = 'syscall' in cause && 'code' in cause
  const isMemory = cause instanceof RangeError || /^Cannot create a string longer/.test(cause.message)
  const isFile = /^(IO|Out of Memory|Fatal|FATAL|Serialization|Permission) Error:/.test(cause.message)
  const next = suggestedFix(cause)
  if (!isSystem && !((isMemory || isFile) && next !== undefined)) return undefined
  return new MachineError(cause.message, { next, cause })
}

// Node's TLS errors are matched by their codes. The mail library replaces these codes with its own, so its errors are
// matched by their messages (`…_WORDS`).
const CERTIFICATE = /^(DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/
const CERTIFICATE_WORDS = /^(self-signed certificate|unable to (get|verify) .*certificate)/
const PROTOCOL = /^(ERR_SSL_|ERR_TLS_|EPROTO$)/
const PROTOCOL_WORDS = /:SSL routines:/

/** Explains a TLS error, which a retry does not fix. Returns undefined for any other error. */
export function tlsFault(cause: Error): { readonly reason: string; readonly next: string } | undefined {
  const code = codeOf(cause)
  if (CERTIFICATE.test(code) || CERTIFICATE_WORDS.test(cause.message))
    return {
      reason: `its certificate is not signed by a trusted authority (${cause.message})`,
      next: "If this is your company's authority, set its certificate, a PEM file: NODE_EXTRA_CA_CERTS=/path/to/ca.pem.",
    }
  if (/^CERT_/.test(code))
    return {
      reason: `its certificate is invalid (${cause.message})`,
      next: 'Check the clock of this machine. If it is correct, the server must renew its certificate.',
    }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return { reason: 'its certificate is for another host', next: 'Check the host of the address.' }
  if (PROTOCOL.test(code) || PROTOCOL_WORDS.test(cause.message))
    return {
      reason: `the server does not accept this TLS connection (${'reason' in cause ? cause.reason : code})`,
      next: 'Check the port of the address. https:// requires a TLS port, not a plain HTTP port.',
    }
  return undefined
}

function codeOf(cause: Error): string {
  return 'code' in cause ? String(cause.code) : ''
}
