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
 * What readers see of a warehouse, wherever it is kept: `file/` keeps it in one file, the wing `lake/` where many machines write. Made
 * by `resolveStorage`; `test/warehouse/published-conformance.ts` says what both promise. What one of them cannot do it refuses in words
 * of its own.
 */
export interface Published {
  /** What people know it by: the path of its file, or its address, which never holds a password. */
  readonly name: string
  /** Where it is, as another process is told that opens it. */
  readonly location: WarehouseLocation
  /** What the syncs of this machine keep for it. */
  readonly files: WarehouseFiles
  /** Files and folders of this machine that hold its rows: only their owner may read them. */
  readonly ownPaths: readonly string[]

  /** Whether anything was published; so it is where that cannot be told now. */
  isThere(): Promise<boolean>
  /** The accounts that readers see, with their names; none when nothing was published. */
  accounts(): Promise<Map<bigint, string | null>>
  /** Opens it for statements of people. @throws NoWarehouse when nothing was published, WarehouseError when it cannot be read */
  open(options?: OpenOptions): Promise<Opened>
  /** Does something of our own where its tables are; gives `nothing` where nothing was published. */
  inside<Result>(nothing: Result, act: (connection: DuckDBConnection) => Promise<Result>): Promise<Result>
  /** What readers see now, told apart from what they saw before; undefined when nothing was published. */
  state(): Promise<string | undefined>
  /** Bytes that readers' copy takes; null where only a store knows. */
  size(): number | null

  /** Gives one process the right to write an account. @throws WarehouseError that says who has it */
  lease(accountId: bigint, now?: number): Promise<AccountLease>
  /** Starts a working file from what was published when it is gone, or is not what was published last. Lease the account before. */
  restore(working: AccountFiles, accountId: bigint): Promise<void>
  /** Notes in a working file that is complete that it is to be published. */
  stamp(connection: DuckDBConnection): Promise<void>
  /**
   * Replaces what readers see of some accounts by their last complete rows.
   * @returns for each what went wrong, undefined when readers see it
   */
  publish(finished: readonly Finished[], how: PublishOptions): Promise<(unknown | undefined)[]>
  /** Whether all accounts are copied each time: then it is better done for several at once, and not too often. */
  readonly copiesAll: boolean
  /** What publishing and opening may wait for, in words; undefined where it is only this machine. */
  readonly waitsFor: string | undefined

  /** Changes all that is stored, also in working files, so that nothing of what was there stays. @throws while a sync writes */
  rewrite(rewriting: Rewriting & { readonly rules: string }, known: readonly Resource[]): Promise<void>
  /**
   * Takes every row of an account out, and out of the files of this machine, for good.
   * @returns what is left to do, in a sentence
   * @throws WarehouseError when a sync writes an account
   */
  remove(removed: Removed): Promise<string | undefined>
  /** Takes what somebody put in place of what was published for what counts. @returns what was done, in a sentence */
  adopt(): Promise<string | undefined>
  /** Puts something good in place of a damaged file. @returns what was done, in a sentence @throws the damage where there is nothing */
  heal(damage: DamagedFile): Promise<string>
  /** Puts a backup back, or without one what was published before. @throws WarehouseError where it cannot */
  putBack(backup?: string): Promise<Restored>
  /** Brings what is stored into shape. @throws ConfigError where nothing needs it */
  maintain(): Promise<Maintained>
  /** Mends accounts that are there twice. @throws ConfigError where none can be */
  repair(): Promise<Repaired[]>

  /** Reads every value, and compares it with what was published. */
  verify(): AsyncIterable<CheckOutcome>
  /** Compares numbers of rows with what was published. @param ask runs a statement of a reader that has it open */
  count(ask: Ask): Promise<CheckOutcome[]>
  /** What the next publishing takes of this machine's disk. */
  space(): { readonly bytes: number; readonly what: string }

  /** What was sent of its reports. */
  readonly deliveries: Deliveries
  /** The jobs that several machines do together; undefined where one process does them. */
  readonly jobs: SharedJobs | undefined
}

/** How what was published is opened. */
export interface OpenOptions {
  /** Of DuckDB, such as `memory_limit`. */
  readonly settings?: Readonly<Record<string, string>>
  /** Whether it is the working file of an account: then the log beside it is its own. */
  readonly isWorking?: boolean | undefined
  /** A former state; the newest unless given. */
  readonly at?: Moment | undefined
  /** Where files may be written, and nowhere else: a folder, or a place of an object store with its key. */
  readonly writing?: { readonly folder: string; readonly store: ObjectStore | undefined }
}

/** A former state: its number, or the newest one at a time. */
export type Moment = bigint | Date

/** What was published, open to be read. Nothing else can be reached from it but what it was opened for. */
export interface Opened {
  /** A connection for which its tables need no name of a database. */
  connect(): Promise<DuckDBConnection>
  close(): void
  /** What another program did to the file, and what to do, in a sentence. */
  readonly notice?: string | undefined
  /** Whether views, macros and settings are stored in it; otherwise each session needs its own. */
  readonly holdsDefinitions: boolean
  /** Name of a database in which a large result is kept packed, where memory would hold it. */
  readonly packed?: string
}

/** An account that was read completely; its working file is closed. */
export interface Finished {
  readonly accountId: bigint
  readonly lease: AccountLease
}

export interface PublishOptions {
  readonly resources: readonly Resource[]
  /** For the tables `config_*`, where they are stored; those that are there stay without it. */
  readonly settings?: Settings | undefined
}

/** What was done to bring what is stored into shape. */
export interface Maintained {
  /** Files that took the place of several small ones. */
  readonly merged: number
  /** Former states that cannot be asked for any more. */
  readonly expired: number
  /** Files that were removed from the store. */
  readonly removed: number
}

/** An account whose rows were there more than once, and are there once now. */
export interface Repaired {
  readonly accountId: bigint
  /** How many rows each table had, and has. */
  readonly tables: readonly { readonly table: string; readonly before: bigint; readonly after: bigint }[]
}

/** Runs a statement and gives its rows. */
export type Ask = (sql: string) => Promise<readonly (readonly unknown[])[]>

/**
 * A right of one process among all that share a warehouse, such as to write an account or to run a job. It ends with its process, or
 * some time after its last sign of life. What only keeps other processes of this machine away is a lock, see `file/file-lock.ts`.
 */
export interface Lease {
  /** Aborted when the lease was lost, before another process is given it. */
  readonly lost: AbortSignal
  /** @throws when the lease was lost: then nothing may be written that it guards */
  confirm(): Promise<void>
  release(): Promise<void>
}

/** The right to write an account. */
export interface AccountLease extends Lease {
  /** How often the account was leased: whoever has an older one may not publish any more. */
  readonly epoch: bigint
}

/** What all workers remember of a job: its last run. Times are Unix ms by PostgreSQL's clock. */
export interface StoredJob {
  /** When that run was due. */
  readonly dueAt: number
  readonly startedAt: number
  /** Null while it runs, and when the worker died. */
  readonly finishedAt: number | null
  readonly outcome: string | null
  /** Runs in a row that did not do their work, and those of them that were for that time. */
  readonly failures: number
  readonly tries: number
  /** Which process of which machine ran it. */
  readonly holder: string
}

/** The right to run a job now. */
export interface SharedLease extends Lease {
  /** When it was given. */
  readonly now: number
  /** As it was then; undefined when it was never run. */
  readonly before: StoredJob | undefined
  begin(dueAt: number): Promise<void>
  /** Notes how it ended. */
  end(outcome: string, counted: Pick<StoredJob, 'failures' | 'tries'>): Promise<void>
}

/** What all workers know. */
export interface StoredJobs {
  /** What time it is, by PostgreSQL's clock. */
  readonly now: number
  readonly jobs: ReadonlyMap<string, StoredJob>
  /** The accounts of keys that were used before, by the digest of the key. */
  readonly accounts: ReadonlyMap<string, bigint>
}

/** The jobs that several machines do together, and what all know of them. */
export interface SharedJobs {
  /** What is remembered of each job, and what time it is. */
  read(): Promise<StoredJobs>
  /**
   * Leases a job; undefined while another worker has it. Whoever dies gives it back.
   * @param stored finds it among all, where it was known by another name once
   */
  lease(job: string, stored: (known: StoredJobs) => StoredJob | undefined): Promise<SharedLease | undefined>
  /** Remembers which account a key is of. */
  recordKey(digest: string, accountId: bigint): Promise<void>
}
