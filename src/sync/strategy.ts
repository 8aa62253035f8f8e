import type { Kysely } from 'kysely'
import type { Client } from '../client/client.ts'
import type { ReadStrategy, Resource } from '../resources/resource.ts'
import type { Database } from '../warehouse/database.ts'
import type { PageReader } from '../warehouse/stage/bytes/read-page.ts'
import type { Page as RecordPage } from '../warehouse/stage/page.ts'
import type { SyncScope } from './scope.ts'
import type { Slice } from './slice.ts'

/** A scope with what is known from earlier runs. */
export interface PlanContext extends SyncScope {
  readonly db: Kysely<Database>
  /** Nothing of another account is looked at. */
  readonly accountId: bigint
  /** When the chain of interrupted runs that this one continues began; null when it continues none. */
  readonly chainStart: number | null
  /** Runs of that chain. */
  readonly chain: readonly bigint[]
}

export interface ReadContext {
  readonly client: Client
  readonly scope: SyncScope
  readonly signal: AbortSignal
}

/** One answer of the service, as far as the load needs to know it. */
export interface Page {
  /** The records, not validated; none where they have been taken. */
  readonly items: readonly unknown[]
  /** The records, validated and in columns. */
  readonly taken?: RecordPage | undefined
  readonly requestId: string
  /** Where reading goes on after this page; null when it cannot be resumed there. */
  readonly cursor: string | null
  /** The number of records the service says there are, where it says so. */
  readonly total: number | null
  /** Ids this answer settles, found or not. */
  readonly checked?: readonly string[]
  /** Those of them that the service does not have. */
  readonly missing?: readonly string[]
}

/** How the resources of one kind of reading are planned and read. Nothing here knows a resource by name. */
export interface Strategy<Kind extends ReadStrategy['kind']> {
  plan(
    context: PlanContext,
    resource: Resource,
    read: Extract<ReadStrategy, { kind: Kind }>,
  ): Promise<Slice[]>
  pages(
    context: ReadContext,
    resource: Resource,
    read: Extract<ReadStrategy, { kind: Kind }>,
    slice: Slice,
    /** Takes the records out of an answer without making objects of them, where that can be done. */
    take?: PageReader | undefined,
  ): AsyncIterable<Page>
}
