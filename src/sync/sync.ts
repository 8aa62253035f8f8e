import type { Resource } from '../resources/resource.ts'
import type { Settings } from '../settings.ts'
import { openWarehouse } from '../warehouse/warehouse.ts'
import { probe } from './probe.ts'
import { refuseOthers } from './refuse-others.ts'
import { type RunOptions, type RunSummary, runSync } from './run.ts'
import type { SyncScope } from './scope.ts'

export interface SyncOptions extends Omit<RunOptions, 'warehouse' | 'scope' | 'accountId'> {
  /** Path of the published warehouse. */
  readonly path: string
  readonly memoryLimit?: string
  /** What figures are judged by, for the tables `config_*`. */
  readonly settings?: Settings
  /** The account as the configuration says it; the service is asked in any case. */
  readonly accountId?: bigint | undefined
  /** What to read, given the service's time in Unix seconds. */
  readonly scope: (now: number) => SyncScope
  readonly resources: readonly Resource[]
  /** Every resource there is: their tables exist even when only some are synced. */
  readonly known: readonly Resource[]
}

/** A run, and whether its result is what readers see now. */
export interface SyncResult extends RunSummary {
  readonly published: boolean
}

/**
 * One whole sync: is the service there, open the warehouse, run, publish. A run that could not read everything it
 * was to read of the windowed resources stays unpublished: readers keep the last whole one, and the next run goes on.
 * @throws before anything is written, when the key, the address or the warehouse file is wrong
 */
export async function sync(options: SyncOptions): Promise<SyncResult> {
  const { now, accountId } = await probe(options)
  const scope = options.scope(now)
  const warehouse = await openWarehouse(options.path, options.known, {
    now: options.effects.now(),
    accountId,
    ...(options.memoryLimit === undefined ? {} : { memoryLimit: options.memoryLimit }),
    ...(options.settings === undefined ? {} : { settings: options.settings }),
  })
  try {
    await refuseOthers(warehouse.db, options.known, accountId, options.path)
    const summary = await runSync({ ...options, warehouse, scope, accountId })
    if (summary.whole) await warehouse.publish()
    return { ...summary, published: summary.whole }
  } finally {
    await warehouse.close()
  }
}
