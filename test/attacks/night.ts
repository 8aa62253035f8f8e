import { resources } from '../../src/resources/index.ts'
import { type RunSummary, runSync } from '../../src/sync/run-sync.ts'
import type { SyncScope } from '../../src/sync/slice.ts'
import type { Warehouse } from '../../src/warehouse/warehouse.ts'
import { forever, standingTime } from '../support/clock.ts'
import { DAY, epoch, type FakeService } from '../support/service.ts'
import { emptyWarehouse, rowsOf } from '../support/warehouse.ts'

/** The first night. It reads the previous hundred days. */
export const NIGHT = epoch + 100 * DAY

/** Gives each test an empty warehouse. Returns functions that sync a service into it, and query its rows. */
export function nightsOf() {
  const warehouse = emptyWarehouse()
  return {
    sync: (service: FakeService, nights = 0, scope: Partial<SyncScope> = {}) =>
      syncNight(warehouse(), service, nights, scope),
    rows: (sql: string) => rowsOf(warehouse(), sql),
  }
}

/** Syncs a service into a warehouse, `nights` after the first night. */
function syncNight(
  warehouse: Warehouse,
  service: FakeService,
  nights: number,
  scope: Partial<SyncScope>,
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
