import type { DuckDBConnection } from '@duckdb/node-api'
import type { Resource } from '../resources/resource.ts'
import type { ObjectStore } from '../settings/object-store.ts'
import type { Settings } from '../settings/settings.ts'
import type { WarehouseLocation } from '../settings/warehouse-location.ts'
import type { CheckOutcome } from './check-outcome.ts'
import type { Deliveries } from './deliveries.ts'
import type { DamagedFile } from './file/damage.ts'
import type { AccountFiles, WarehouseFiles } from './file/files.ts'
import type { Removed } from './file/remove-from-file.ts'
import type { Restored } from './file/repair-file.ts'
import type { Rewriting } from './file/rewrite.ts'

/**
 * The published data of a warehouse. The code in `file/` stores it in one file, and the code in `lake/` stores it for
 * many machines. An unsupported operation throws an error. `test/warehouse/published-conformance.ts` tests both.
 */
export interface Published {
  /** Name for people: the path of its file, or its address without a password. */
  readonly name: string
  /** Its location, for another process that opens it. */
  readonly location: WarehouseLocation
  readonly files: WarehouseFiles
  /** Files and folders on this machine that contain rows. Only their owner can read them. */
  readonly ownPaths: readonly string[]

  /** Whether anything was published. True if that is unknown. */
  isThere(): Promise<boolean>
  accounts(): Promise<Map<bigint, string | null>>
  /** Opens the published data for statements that people write. @throws NoWarehouse if nothing was published */
  open(options?: OpenOptions): Promise<Opened>
  /** Runs `act` on the published tables. Returns `nothing` if nothing was published. */
  inside<Result>(nothing: Result, act: (connection: DuckDBConnection) => Promise<Result>): Promise<Result>
  /** Identifies the current published state, or undefined if nothing was published. */
  state(): Promise<string | undefined>
  /** Size of the readers' copy in bytes, or null if it is in an object store. */
  size(): number | null

  /**
   * Leases an account, which only one process at a time can write. @throws WarehouseError that names the current holder
   */
  lease(accountId: bigint, now?: number): Promise<AccountLease>
  /** Creates a working file from the published data if it is missing or outdated. Requires a lease of the account. */
  restore(working: AccountFiles, accountId: bigint): Promise<void>
  /** Records in a complete working file that it will be published. */
  stamp(connection: DuckDBConnection): Promise<void>
  /** Replaces the published rows of some accounts. Returns an error for each account, or undefined if it was published. */
  publish(finished: readonly Finished[], how: PublishOptions): Promise<(unknown | undefined)[]>
  /**
   * Whether every publication copies all accounts. If so, several accounts are published together, so that there are
   * fewer publications.
   */
  readonly copiesAll: boolean
  /** Description of the remote systems for which publishing and opening can wait. Undefined if there are none. */
  readonly waitsFor: string | undefined

  /** Changes all stored data and leaves no trace of the old values. @throws while a sync is writing */
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
  /** Compares row counts with what was published. @param ask runs a statement in an open reader */
  count(ask: Ask): Promise<CheckOutcome[]>
  /** Returns the disk space on this machine that the next publication needs. */
  space(): { readonly bytes: number; readonly what: string }

  readonly deliveries: Deliveries
  /** The jobs that several machines share, or undefined if a single process runs them. */
  readonly jobs: SharedJobs | undefined
}

export interface OpenOptions {
  /** Settings of DuckDB, such as `memory_limit`. */
  readonly settings?: Readonly<Record<string, string>>
  /** Whether to open the working file of an account, whose log is applied. */
  readonly isWorking?: boolean | undefined
  /** The snapshot to open (default: the newest). */
  readonly at?: Moment | undefined
  /**
   * The only location where files can be written. It is a folder, or a location in an object store together with its
   * key.
   */
  readonly writing?: { readonly folder: string; readonly store: ObjectStore | undefined }
}

/** A past snapshot, by number, or by a time at which it was the newest. */
export type Moment = bigint | Date

/** Published data, open for reading. The connections can access nothing else, except what the options allow. */
export interface Opened {
  /** Opens a connection. Its statements can name tables without naming a database. */
  connect(): Promise<DuckDBConnection>
  close(): void
  /** A sentence about changes that another program made to the file, with the next step. */
  readonly notice?: string | undefined
  /** Whether views, macros and settings are stored with the data. Otherwise, each session creates its own. */
  readonly holdsDefinitions: boolean
  /** Name of a database on disk that stores a large result compressed, if results would otherwise be in memory. */
  readonly packed?: string
}

/** An account that was read completely and whose working file is closed. */
export interface Finished {
  readonly accountId: bigint
  readonly lease: AccountLease
}

export interface PublishOptions {
  readonly resources: readonly Resource[]
  /**
   * Settings to store in the tables `config_*`, if the warehouse stores settings. If undefined, existing settings are
   * kept.
   */
  readonly settings?: Settings | undefined
}

export interface Maintained {
  /** Files that replaced several small ones. */
  readonly merged: number
  /** Snapshots that cannot be queried any more. */
  readonly expired: number
  readonly removed: number
}

/** An account whose rows were stored more than once and are now stored once. */
export interface Repaired {
  readonly accountId: bigint
  readonly tables: readonly { readonly table: string; readonly before: bigint; readonly after: bigint }[]
}

export type Ask = (sql: string) => Promise<readonly (readonly unknown[])[]>

/**
 * A right that only one process at a time has among those that share a warehouse, such as the right to write an
 * account. It ends with its process, or some time after its last heartbeat. In contrast, a lock excludes only processes
 * on this machine, see `file/file-lock.ts`.
 */
export interface Lease {
  /** Aborted when the lease is lost, before another process can take it. */
  readonly lost: AbortSignal
  /** @throws if the lease was lost. The caller must then write nothing that the lease protects */
  confirm(): Promise<void>
  release(): Promise<void>
}

export interface AccountLease extends Lease {
  /** Number of leases of the account so far. A process with an older lease can no longer publish. */
  readonly epoch: bigint
}

/** The last run of a job, as all workers see it. Times are Unix ms by PostgreSQL's clock. */
export interface StoredJob {
  readonly dueAt: number
  readonly startedAt: number
  /** Null while it runs, and after its worker died. */
  readonly finishedAt: number | null
  readonly outcome: string | null
  /** Number of failed runs in a row, and how many of these were for the current due time. */
  readonly failures: number
  readonly tries: number
  /** The machine and process that ran it. */
  readonly holder: string
}

export interface SharedLease extends Lease {
  readonly now: number
  /** The last run at that time, or undefined if it never ran. */
  readonly before: StoredJob | undefined
  begin(dueAt: number): Promise<void>
  end(outcome: string, counted: Pick<StoredJob, 'failures' | 'tries'>): Promise<void>
}

export interface StoredJobs {
  /** The current time by PostgreSQL's clock. */
  readonly now: number
  readonly jobs: ReadonlyMap<string, StoredJob>
  /** The account of each key that was used before, by the digest of the key. */
  readonly accounts: ReadonlyMap<string, bigint>
}

export interface SharedJobs {
  read(): Promise<StoredJobs>
  /** Leases a job, or returns undefined while another worker holds its lease. `stored` finds the job even under an old name. */
  lease(job: string, stored: (known: StoredJobs) => StoredJob | undefined): Promise<SharedLease | undefined>
  /** Records the account that a key belongs to. */
  recordKey(digest: string, accountId: bigint): Promise<void>
}
