import { resources } from '../../src/resources/index.ts'
import { type RunSummary, runSync } from '../../src/sync/run-sync.ts'
import type { SyncScope } from '../../src/sync/slice.ts'
import type { Warehouse } from '../../src/warehouse/warehouse.ts'
import { forever, standingTime } from '../support/clock.ts'
import { DAY, epoch, type FakeService } from '../support/service.ts'

/** The first night. It reads the previous hundred days. */
export const NIGHT = epoch + 100 * DAY

/** Syncs a service into a warehouse, `nights` after the first night. */
export function syncNight(
  warehouse: Warehouse,
  service: FakeService,
  nights = 0,
  scope: Partial<SyncScope> = {},
): Promise<RunSummary> {
  const now = NIGHT + nights * DAY
  return runSync({
    client: service.client,
    warehouse,
    accountId: 1n,
    resources,
    effects: standingTime(5_000, forever),
    concurrency: 4,
    version: '1.2.3',
    signal: new AbortController().signal,
    scope: { now, since: epoch, lookbackDays: 31, windowSeconds: 31 * DAY, full: false, ...scope },
  })
}
