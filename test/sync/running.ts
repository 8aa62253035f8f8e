import { resources } from '../../src/resources/index.ts'
import { type RunOptions, type RunSummary, runSync } from '../../src/sync/run-sync.ts'
import type { SyncScope } from '../../src/sync/slice.ts'
import { forever, standingTime } from '../support/clock.ts'
import { DAY, epoch, type FakeService, fakeService, incident, member } from '../support/service.ts'
import { emptyWarehouse, rowsOf } from '../support/warehouse.ts'

export const start = epoch + 100 * DAY

/** A clock that never moves, and sleeps that never end. */
export const effects = standingTime(5_000, forever)

/** Returns functions that run syncs into a warehouse and query its rows. The warehouse is emptied before each test. */
export function running() {
  const warehouse = emptyWarehouse()
  function run(
    service: FakeService,
    now = start,
    more: Partial<Omit<RunOptions, 'scope'>> & { scope?: Partial<SyncScope> } = {},
  ): Promise<RunSummary> {
    const { scope, ...options } = more
    return runSync({
      client: service.client,
      warehouse: warehouse(),
      accountId: 1n,
      accountName: null,
      resources,
      effects,
      concurrency: 4,
      version: '1.2.3',
      signal: new AbortController().signal,
      ...options,
      scope: { now, since: epoch, lookbackDays: 31, windowSeconds: 31 * DAY, full: false, ...scope },
    })
  }
  return {
    warehouse,
    run,
    rows: (sql: string) => rowsOf(warehouse(), sql),
    runs: () =>
      rowsOf(
        warehouse(),
        'select run_id, status, as_of_at, service_time_at, rows_read, requests, version, message from sync_runs order by run_id',
      ),
    count: async (from: string) =>
      (await rowsOf(warehouse(), `select count(*)::int as n from ${from}`))[0]!.n,
    windows: (where = 'true') =>
      rowsOf(
        warehouse(),
        `select run_id, reason, state, rows_read, total_seen, cursor, message from sync_windows where resource = 'incidents' and ${where} order by window_id`,
      ),
  }
}

export const calls = (service: FakeService, name: string) =>
  service.calls.filter((call) => call.name === name)

/** A service with 300 incidents over 100 days, in two channels of one team. */
export function filled(): FakeService {
  const service = fakeService()
  service.incidents = Array.from({ length: 300 }, (_, index) =>
    incident(index * 8, { channel_id: [0, 7, 2n ** 60n][index % 3] }),
  )
  service.addChannels([7, 2n ** 60n], () => 70)
  service.teams = [{ team_id: 70, team_name: 'seventy', person_ids: [1, 2n ** 61n] }]
  service.members = Array.from({ length: 150 }, (_, index) => member(index))
  service.folders = [{ folder_id: 1, folder_name: 'all', rule_total: 3, triggered_rule_count: 1 }]
  return service
}

export function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason)
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
