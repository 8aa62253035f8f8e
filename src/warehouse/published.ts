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

/** Published data in one file (`file/`) or in a lake (`lake/`). Methods throw if the operation is not supported. */
export interface Published {
  /** Path of the file, or address of the lake without a password. */
  readonly name: string
  readonly location: WarehouseLocation
  readonly files: WarehouseFiles
  /** Files and folders on this machine that contain rows. Only their owner can read them. */
  readonly ownPaths: readonly string[]

  /** Whether anything was published. Also true if that is unknown. */
  isThere(): Promise<boolean>
  /** Returns the names of the published accounts by id. */
  accounts(): Promise<Map<bigint, string | null>>
  /** Opens the published data for statements that people write. @throws NoWarehouse if nothing was published */
  open(options?: OpenOptions): Promise<Opened>
  /** Runs `act` on the published tables. Returns `nothing` if nothing was published. */
  inside<Result>(nothing: Result, act: (connection: DuckDBConnection) => Promise<Result>): Promise<Result>
  /** Returns a text that changes with each publication. */
  state(): Promise<string | undefined>
  /** Returns the size of the published file in bytes, or null for a lake. */
  size(): number | null

  /** Prevents other processes from writing data of the account. @throws WarehouseError that names the lease holder */
  lease(accountId: bigint): Promise<AccountLease>
  /** Creates a missing or outdated working file from the published data. Requires a lease of the account. */
  restore(working: string, accountId: bigint): Promise<void>
  /** Writes a new generation (a random id) into a complete working file, before its publication. */
  stamp(connection: DuckDBConnection): Promise<void>
  /** Replaces the published rows of accounts. Returns one entry per account: its error, or undefined. */
  publish(finished: readonly Finished[], how: PublishOptions): Promise<(unknown | undefined)[]>
  /** Whether a publication copies all accounts. Publishing several together is then faster. */
  readonly copiesAll: boolean
  /** Why publishing and opening may take long, as part of a sentence. Undefined for local files. */
  readonly waitsFor: string | undefined

  /** Changes all stored rows and leaves no trace of old values. @throws WarehouseError while a sync is writing */
  rewrite(rewriting: Rewriting & { readonly rules: string }, known: readonly Resource[]): Promise<void>
  /** Permanently removes an account. Returns a sentence about the remaining steps, if any. */
  remove(removed: Removed): Promise<string | undefined>
  /** Accepts a file that somebody put in place of the published one. Returns a sentence about it, if any. */
  adopt(): Promise<string | undefined>
  /** Repairs a damaged file. Returns a sentence about it. @throws WarehouseError if that is impossible */
  heal(damage: DamagedFile): Promise<string>
  /** Restores a backup (default: the previous publication). @throws WarehouseError if impossible */
  putBack(backup?: string): Promise<Restored>
  /** @throws ConfigError for a warehouse that needs no maintenance */
  maintain(): Promise<Maintained>
  /** Repairs accounts that are stored twice. @throws ConfigError for a warehouse in which that cannot happen */
  repair(): Promise<Repaired[]>

  /** Reads every value and compares it with what was published. */
  verify(): AsyncIterable<CheckOutcome>
  /** Compares row counts with what was published. */
  count(on: Parser): Promise<CheckOutcome[]>
  /** Returns the disk space on this machine that the next publication needs. */
  space(): { readonly bytes: number; readonly what: string }

  readonly deliveries: Deliveries
  /** Jobs that several machines share. Undefined if a single process runs them. */
  readonly jobs: SharedJobs | undefined
}

/** Result of checking one part of a warehouse. */
export type CheckOutcome =
  | { readonly part: string; readonly found: string }
  | { readonly part: string; readonly error: unknown }

/** Report messages that a mail server or a chat service has accepted. */
export interface Deliveries {
  /** Returns the ISO time of each sent message, by its key. */
  sent(report: string): Promise<ReadonlyMap<string, string>>
  /** `key` combines report, parameters, due time and target. */
  note(delivery: { readonly key: string; readonly report: string; readonly due: string }): Promise<void>
}

export interface OpenOptions {
  readonly settings?: Readonly<Record<string, string>>
  /** Whether the file is the working file of an account. Its write-ahead log is then included. */
  readonly isWorking?: boolean | undefined
  /** The default is the newest snapshot. */
  readonly at?: Moment | undefined
  /** The only location where files can be written: a local folder, or a location in an object store. */
  readonly writing?: { readonly folder: string; readonly store: ObjectStore | undefined }
}

/** A snapshot: its number, or a time at which it was the newest. */
export type Moment = bigint | Date

/** Published data, open for reading. Connections cannot access other files unless the options allow it. */
export interface Opened {
  /** Statements can name a table without naming the database. */
  connect(): Promise<DuckDBConnection>
  close(): void
  /** A sentence about changes by another program, with a next step. */
  readonly notice?: string | undefined
  /** Whether views, macros and settings are stored with the data. If not, each session must create them. */
  readonly holdsDefinitions: boolean
  /** Name of a database on disk for large results. Undefined if DuckDB writes them to disk by itself. */
  readonly packed?: string
}

/** A completely read account with a closed working file. */
export interface Finished {
  readonly accountId: bigint
  readonly lease: AccountLease
  readonly files: AccountFiles
}

export interface PublishOptions {
  readonly resources: readonly Resource[]
  /** Settings for the tables `config_*`. If undefined, the file keeps its settings. */
  readonly settings?: Settings | undefined
}

export interface Maintained {
  /** Files that replaced several small ones. */
  readonly merged: number
  /** Snapshots that cannot be queried any more. */
  readonly expired: number
  readonly removed: number
}

/** An account whose rows were stored more than once. */
export interface Repaired {
  readonly accountId: bigint
  readonly tables: readonly { readonly table: string; readonly before: bigint; readonly after: bigint }[]
}

/** An exclusive right that ends with its process. A lake excludes processes on all machines, a file only local ones. */
export interface Lease {
  /** Aborted when the lease is lost, before another process can take it. */
  readonly lost: AbortSignal
  /** Call this before each write. @throws WarehouseError if the lease was lost */
  confirm(): Promise<void>
  release(): Promise<void>
}

export interface AccountLease extends Lease {
  /** Counts the leases of the account. A process with a lower number can no longer publish. */
  readonly epoch: bigint
}

/** The last run of a job. Times are Unix milliseconds by PostgreSQL's clock. */
export interface StoredJob {
  readonly dueAt: number
  readonly startedAt: number
  /** Null while the job runs, and after its process died. */
  readonly finishedAt: number | null
  readonly outcome: string | null
  /** Failed runs in a row. */
  readonly failures: number
  /** Failed runs for the current due time. */
  readonly tries: number
  /** Process that ran the job. The name includes the machine. */
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
  /** PostgreSQL's clock, Unix milliseconds. */
  readonly now: number
  readonly jobs: ReadonlyMap<string, StoredJob>
  /** The account of each API key, by the digest of the key. */
  readonly accounts: ReadonlyMap<string, bigint>
}

export interface SharedJobs {
  read(): Promise<StoredJobs>
  /** Returns undefined while another process leases the job. `stored` finds the last run of the job. */
  lease(job: string, stored: (known: StoredJobs) => StoredJob | undefined): Promise<SharedLease | undefined>
  recordKey(digest: string, accountId: bigint): Promise<void>
}
