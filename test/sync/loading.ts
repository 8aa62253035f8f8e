import { incidents } from '../../src/resources/incidents.ts'
import type { SliceEnd, ValidatedPage } from '../../src/sync/batch.ts'
import { openSlices } from '../../src/sync/ledger.ts'
import { forever, standingTime } from '../support/clock.ts'
import { epoch, incident } from '../support/service.ts'
import { emptyWarehouse, rowsOf } from '../support/warehouse.ts'

/** A clock that never moves, so that no batch becomes old enough to be stored. */
export const standing = standingTime(epoch * 1_000, forever)

export const page = (rows: number[], more: Partial<ValidatedPage> = {}): ValidatedPage => ({
  resource: incidents,
  windowId: 0,
  accepted: rows.map((index) => incident(index)),
  rejected: [],
  unknown: new Set(),
  words: new Map(),
  requestId: 'r-1',
  cursor: `after ${rows.at(-1)}`,
  total: 10,
  checked: [],
  missing: [],
  denied: [],
  ...more,
})
export const end = (more: Partial<SliceEnd> = {}): SliceEnd => ({
  resource: incidents,
  windowId: 0,
  state: 'done',
  message: null,
  reread: null,
  ...more,
})

/** Gives each test an empty warehouse, and functions that open windows in it and read the stored rows. */
export function loading() {
  const warehouse = emptyWarehouse()
  return {
    warehouse,
    async opened(windows = 1) {
      const slice = {
        resource: 'incidents',
        reason: 'new',
        window: { start: epoch, end: epoch + 1 },
        ids: null,
        cursor: null,
        requests: 1,
      } as const
      await openSlices(
        warehouse().db,
        { accountId: 1n, runId: 1 },
        0,
        Array(windows).fill(slice),
        new Date(0),
      )
    },
    titles: async () =>
      (await rowsOf(warehouse(), 'select title from incidents order by start_time')).map((row) => row.title),
    bookmarks: () =>
      rowsOf(
        warehouse(),
        'select state, cursor, rows_read, requests, total_seen, message from sync_windows order by window_id',
      ),
  }
}
