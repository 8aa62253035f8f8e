import type { DuckDBConnection } from '@duckdb/node-api'
import type { Parser } from '../definitions/parse-tree.ts'
import type { Resource } from '../resources/resource.ts'
import type { ObjectStore } from '../settings/object-store.ts'
import type { Settings } from '../settings/settings.ts'
import type { WarehouseLocation } from '../settings/warehouse-location.ts'
import type { DamagedFile } from './file/damage.ts'
import type { AccountFiles, WarehouseFiles } from './file/files.ts'
import type { Removed } from './file/remove-from-file.ts'
import type { Restored } from './file/repair-file.ts'
import type { Rewriting } from './file/rewrite.ts'

/**
 * The published data of a warehouse, which is stored in one file (`file/`) or in a lake for many machines (`lake/`). A
 * method throws an error if this kind of warehouse does not support the operation.
 */
export interface Published {
  /** Display name: the path of the file, or the address of the lake without a password. */
  readonly name: string
  readonly location: WarehouseLocation
  readonly files: WarehouseFiles
  /** Files and folders on this machine that contain rows. Only their owner can read them. */
  readonly ownPaths: readonly string[]

  /** Whether anything was published. True if that is unknown. */
  isThere(): Promise<boolean>
  /** Returns the published accounts, each with its name or null. */
  accounts(): Promise<Map<bigint, string | null>>
  /** Opens the published data for statements that people write. @throws NoWarehouse if nothing was published */
  open(options?: OpenOptions): Promise<Opened>
  /** Runs `act` on the published tables. Returns `nothing` if nothing was published. */
  inside<Result>(nothing: Result, act: (connection: DuckDBConnection) => Promise<Result>): Promise<Result>
  /** Returns a text that changes with each publication, or undefined if nothing was published. */
  state(): Promise<string | undefined>
  /** Returns the size of the published file in bytes, or null for a lake. */
  size(): number | null

  /** Leases an account, so that no other process can write it. @throws WarehouseError that names the current holder */
  lease(accountId: bigint): Promise<AccountLease>
  /**
   * Creates an account's working file from the published data, if it is missing or outdated. Requires a lease of the
   * account.
   */
  restore(working: string, accountId: bigint): Promise<void>
  /** Writes a new generation (a random id) into a complete working file, before the file is published. */
  stamp(connection: DuckDBConnection): Promise<void>
  /** Replaces the published rows of some accounts. Returns an entry for each account: its error, or undefined. */
  publish(finished: readonly Finished[], how: PublishOptions): Promise<(unknown | undefined)[]>
  /** Whether a publication copies the rows of all accounts, so that it is faster to publish several together. */
  readonly copiesAll: boolean
  /** Reason why publishing and opening may take long, as part of a sentence. Undefined if they only use local files. */
  readonly waitsFor: string | undefined

  /** Changes all stored rows and leaves no trace of the old values. @throws WarehouseError while a sync is writing */
  rewrite(rewriting: Rewriting & { readonly rules: string }, known: readonly Resource[]): Promise<void>
  /** Permanently removes an account from all files. Returns a sentence about the remaining steps, if any. */
  remove(removed: Removed): Promise<string | undefined>
  /** Accepts a file that somebody put in place of the published one. @returns a sentence about the changes, if any */
  adopt(): Promise<string | undefined>
  /** Replaces a damaged file and returns a sentence about it. @throws the damage if no intact copy exists */
  heal(damage: DamagedFile): Promise<string>
  /** Restores a backup or, if none is given, the previous publication. @throws WarehouseError if impossible */
  putBack(backup?: string): Promise<Restored>
  /** Optimizes the storage. @throws ConfigError for a warehouse that needs no maintenance */
  maintain(): Promise<Maintained>
  /** Repairs accounts that are stored twice. @throws ConfigError for a warehouse in which that cannot happen */
  repair(): Promise<Repaired[]>

  /** Reads every value and compares it with what was published. */
  verify(): AsyncIterable<CheckOutcome>
  /** Compares row counts with what was published. @param on an open reader */
  count(on: Parser): Promise<CheckOutcome[]>
  /** Returns the disk space on this machine that the next publication needs. */
  space(): { readonly bytes: number; readonly what: string }

  readonly deliveries: Deliveries
  /** The jobs that several machines share, or undefined if a single process runs them. */
  readonly jobs: SharedJobs | undefined
}

/** Result of checking one part of a warehouse: what was found to be intact, or the error. */
export type CheckOutcome =
  | { readonly part: string; readonly found: string }
  | { readonly part: string; readonly error: unknown }

/** The ledger of report messages that a mail server or a chat service has accepted. */
export interface Deliveries {
  /** Returns the messages of a report that were sent: the ISO time of each message, by its key. */
  sent(report: string): Promise<ReadonlyMap<string, string>>
  /** Records a sent message. @param delivery its key consists of report, parameters, due time and target */
  note(delivery: { readonly key: string; readonly report: string; readonly due: string }): Promise<void>
}

export interface OpenOptions {
  /** Settings of DuckDB, such as `memory_limit`. */
  readonly settings?: Readonly<Record<string, string>>
  /** Whether the file is the working file of an account. Rows in its write-ahead log are then included. */
  readonly isWorking?: boolean | undefined
  /** The snapshot to open (default: the newest). */
  readonly at?: Moment | undefined
  /**
   * The only location where files can be written: a folder, or a location in an object store and the store's settings.
   */
  readonly writing?: { readonly folder: string; readonly store: ObjectStore | undefined }
}

/** Identifies a snapshot by its number, or by a time at which it was the newest. */
export type Moment = bigint | Date

/** Published data, open for reading. Its connections cannot access other files, except those that the options allow. */
export interface Opened {
  /** Opens a connection. Statements on it can name a table without naming the database. */
  connect(): Promise<DuckDBConnection>
  close(): void
  /** A sentence about changes that another program made to the file, and about what to do. */
  readonly notice?: string | undefined
  /** Whether views, macros and settings are stored with the data. If not, each session must create them. */
  readonly holdsDefinitions: boolean
  /** Name of a database on disk for large results. Undefined if DuckDB writes large results to disk by itself. */
  readonly packed?: string
}

/** An account that was read completely and whose working file is closed. */
export interface Finished {
  readonly accountId: bigint
  readonly lease: AccountLease
  readonly files: AccountFiles
}

export interface PublishOptions {
  readonly resources: readonly Resource[]
  /** Settings to store in the tables `config_*` of a file. If undefined, the file keeps its settings. */
  readonly settings?: Settings | undefined
}

export interface Maintained {
  /** Number of files that replaced several small ones. */
  readonly merged: number
  /** Number of snapshots that cannot be queried any more. */
  readonly expired: number
  /** Number of removed files. */
  readonly removed: number
}

/** An account whose rows were stored more than once and are now stored once. */
export interface Repaired {
  readonly accountId: bigint
  readonly tables: readonly { readonly table: string; readonly before: bigint; readonly after: bigint }[]
}

/**
 * An exclusive right of one process, such as the right to write an account. It ends when the process ends. In a lake,
 * it excludes the processes on all machines. For a file, it is a lock on this machine (`file/file-lock.ts`).
 */
export interface Lease {
  /** Aborted when the lease is lost, before another process can take it. */
  readonly lost: AbortSignal
  /** Checks that the lease was not lost. @throws WarehouseError if it was. The caller must then not write */
  confirm(): Promise<void>
  release(): Promise<void>
}

export interface AccountLease extends Lease {
  /**
   * How many times the account has been leased. After it is leased again, a process with a lower number cannot publish.
   */
  readonly epoch: bigint
}

/** The last run of a job, as all workers see it. Times are in Unix milliseconds, by PostgreSQL's clock. */
export interface StoredJob {
  readonly dueAt: number
  readonly startedAt: number
  /** Null while the job runs, and if its process died. */
  readonly finishedAt: number | null
  readonly outcome: string | null
  /** Number of failed runs in a row. */
  readonly failures: number
  /** Number of failed runs for the current due time. */
  readonly tries: number
  /** Name of the process that ran the job, which contains the name of its machine. */
  readonly holder: string
}

export interface SharedLease extends Lease {
  readonly now: number
  /** The last run of the job, or undefined if it never ran. */
  readonly before: StoredJob | undefined
  begin(dueAt: number): Promise<void>
  end(outcome: string, counted: Pick<StoredJob, 'failures' | 'tries'>): Promise<void>
}

export interface StoredJobs {
  /** The current time by PostgreSQL's clock. */
  readonly now: number
  readonly jobs: ReadonlyMap<string, StoredJob>
  /** The account of each API key, by the digest of the key. */
  readonly accounts: ReadonlyMap<string, bigint>
}

export interface SharedJobs {
  read(): Promise<StoredJobs>
  /**
   * Leases a job. Returns undefined while another process holds its lease.
   * @param stored finds the last run of the job
   */
  lease(job: string, stored: (known: StoredJobs) => StoredJob | undefined): Promise<SharedLease | undefined>
  /** Records the account that an API key belongs to. */
  recordKey(digest: string, accountId: bigint): Promise<void>
}
