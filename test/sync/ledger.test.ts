import { describe, expect, test } from 'vitest'
import { channels } from '../../src/resources/channels.ts'
import { incidents } from '../../src/resources/incidents.ts'
import { postMortems } from '../../src/resources/post-mortems.ts'
import { beginRun, finishRun, openSlices, type RunStatus, unfinishedRuns } from '../../src/sync/ledger.ts'
import type { Slice } from '../../src/sync/slice.ts'
import { dueIds, type PlanContext, readWindowState } from '../../src/sync/state.ts'
import { createStaging } from '../../src/warehouse/load/staging.ts'
import { upsert } from '../../src/warehouse/load/upsert.ts'
import { DAY, epoch, incident } from '../support/service.ts'
import { emptyWarehouse, rowsOf } from '../support/warehouse.ts'

const warehouse = emptyWarehouse()
const HOUR = 3_600

/** Records a run that began some hours before `epoch`. A null status stands for a running or killed run. */
async function ran(hoursAgo: number, status: RunStatus | null, asOf: number | null = null): Promise<number> {
  const { db } = warehouse()
  const serviceTime = new Date((epoch - hoursAgo * HOUR) * 1_000)
  const runId = await beginRun(db, {
    accountId: 1n,
    accountName: null,
    startedAt: new Date(0),
    serviceTime,
    version: '0',
  })
  if (status === null) return runId
  await finishRun(db, runId, { status, as_of_at: asOf === null ? null : new Date(asOf * 1_000) })
  return runId
}

const chain = () => unfinishedRuns(warehouse().db, 1n, epoch)

describe('the chain of unfinished runs to resume', () => {
  test('is empty before the first run and after a complete run', async () => {
    expect(await chain()).toEqual({ runs: [], startedAt: null })
    await ran(2, 'ok', epoch - 2 * HOUR)
    expect(await chain()).toEqual({ runs: [], startedAt: null })
    await ran(1, 'partial', epoch - HOUR)
    expect(await chain()).toEqual({ runs: [], startedAt: null })
  })

  test('consists of the killed and failed runs since the last complete run, newest first', async () => {
    await ran(5, 'failed')
    await ran(4, 'ok', epoch - 4 * HOUR)
    await ran(3, 'failed')
    await ran(2, null)
    await ran(1, 'failed')
    expect(await chain()).toEqual({ runs: [5n, 4n, 3n], startedAt: epoch - 3 * HOUR })
  })

  test('includes only runs from the last six hours', async () => {
    await ran(6.01, 'failed')
    expect(await chain()).toEqual({ runs: [], startedAt: null })
    await ran(6, 'failed')
    await ran(1, 'failed')
    expect(await chain()).toEqual({ runs: [3n, 2n], startedAt: epoch - 6 * HOUR })
  })

  test('excludes a run that read every window but failed elsewhere', async () => {
    await ran(2, 'failed')
    await ran(1, 'failed', epoch - 2 * HOUR)
    expect(await chain()).toEqual({ runs: [], startedAt: null })
  })
})

test('a run without an end counts as interrupted once the next run begins', async () => {
  await ran(2, null)
  await ran(1, null)
  expect(await rowsOf(warehouse(), 'select run_id, status, message from sync_runs order by run_id')).toEqual([
    { run_id: 1, status: 'failed', message: 'interrupted' },
    { run_id: 2, status: 'running', message: null },
  ])
})

const context = async (more: Partial<PlanContext> = {}): Promise<PlanContext> => {
  const { runs, startedAt } = await chain()
  const scope = { now: epoch, since: 0, lookbackDays: 31, windowSeconds: 31 * DAY, full: false }
  return { ...scope, accountId: 1n, db: warehouse().db, chainStart: startedAt, chain: runs, ...more }
}

async function stored(resource: typeof incidents | typeof channels | typeof postMortems, rows: object[]) {
  const staging = createStaging(resource)
  staging.add(rows as Record<string, unknown>[])
  await warehouse()
    .db.transaction()
    .execute((tx) => upsert(tx, staging, { runId: 1, seenAt: 0, accountId: 1n }))
}

describe('the input of the sync planner', () => {
  test('contains all finished windows, and the unfinished windows of the runs to resume', async () => {
    const { db } = warehouse()
    const slice: Slice = {
      resource: 'incidents',
      reason: 'new',
      window: { start: 10, end: 20 },
      ids: null,
      cursor: null,
      requests: 1,
    }
    const at = (start: number, more: Partial<Slice> = {}) => ({
      ...slice,
      window: { start, end: start + 10 },
      ...more,
    })
    await openSlices(db, { accountId: 1n, runId: await ran(9, 'failed') }, 0, [at(10), at(20)], new Date(0))
    await db
      .updateTable('sync_windows')
      .set({ state: 'done' })
      .where('window_start', '=', new Date(10_000))
      .execute()
    await openSlices(
      db,
      { accountId: 1n, runId: await ran(2, null) },
      0,
      [at(30, { cursor: 'old' }), at(50, { reason: 'still-open' })],
      new Date(0),
    )
    await openSlices(
      db,
      { accountId: 1n, runId: await ran(1, null) },
      0,
      [at(30, { cursor: 'new' }), at(40, { resource: 'others' })],
      new Date(0),
    )
    const state = await readWindowState(await context(), incidents, incidents.read)
    expect(state.done).toEqual([{ start: 10, end: 20, readAt: epoch - 9 * HOUR }])
    expect(state.unfinished).toEqual([
      { start: 30, end: 40, reason: 'new', cursor: 'new' },
      { start: 30, end: 40, reason: 'new', cursor: 'old' },
    ])
  })

  test('contains open records, which are neither closed nor missing', async () => {
    await stored(incidents, [
      incident(1),
      incident(2, { progress: 'Triggered' }),
      incident(3, { progress: 'Processing' }),
      incident(4, { progress: 'nobody knows' }),
      incident(5, { progress: 'Triggered' }),
    ])
    await warehouse()
      .db.updateTable('incidents')
      .set({ vanished_at: new Date(0) })
      .where('title', '=', 'incident 5')
      .execute()
    const { stillOpen } = await readWindowState(await context(), incidents, incidents.read)
    expect(stillOpen).toEqual(
      [2, 3, 4].map((index) => ({ id: incident(index).incident_id, start: epoch + index * HOUR })),
    )
  })

  test('estimates the number of rows in any window from the rows per day', async () => {
    await stored(
      incidents,
      [0, 1, 2, 30].map((hour) => incident(hour)),
    )
    const { countIn } = await readWindowState(await context(), incidents, incidents.read)
    expect(countIn({ start: epoch - DAY, end: epoch + 3 * DAY })).toBe(4)
    const day = { start: Math.floor(epoch / DAY) * DAY, end: (Math.floor(epoch / DAY) + 1) * DAY }
    const half = { start: day.start, end: day.start + DAY / 2 }
    expect(countIn(half)).toBe(countIn(day) / 2)
    expect(countIn({ start: 0, end: 1 })).toBe(0)
  })
})

describe('ids of channels and post-mortems', () => {
  const big = 2n ** 60n
  const due = async (more: Partial<PlanContext> = {}) =>
    (await dueIds(await context(more), channels, channels.read)).together
  test('are due if an incident refers to an id that was never requested', async () => {
    await stored(
      incidents,
      [0, 7, big, big + 1n, 7].map((channel_id, index) => incident(index, { channel_id })),
    )
    expect(await due()).toEqual([String(big), String(big + 1n), '7'])
  })

  test('are due again once a week, spread over the nights, or immediately with --full', async () => {
    const ids = Array.from({ length: 700 }, (_, index) => index + 1)
    await stored(
      incidents,
      ids.map((channel_id) => incident(channel_id, { channel_id })),
    )
    await warehouse()
      .db.insertInto('sync_checks')
      .values(
        ids.map((id) => ({
          account_id: 1,
          resource: 'channels',
          id: String(id),
          checked_at: new Date(epoch * 1_000),
          is_missing: false,
        })),
      )
      .execute()
    expect(await due()).toEqual([])
    expect(await due({ full: true })).toHaveLength(700)
    const nights: string[][] = []
    for (let night = 1; night <= 14; night++) {
      const now = epoch + night * DAY
      const some = await due({ now })
      nights.push(some)
      await warehouse()
        .db.updateTable('sync_checks')
        .set({ checked_at: new Date(now * 1_000) })
        .where('id', 'in', some)
        .execute()
    }
    const [week, next] = [nights.slice(0, 7), nights.slice(7)]
    expect(week.flat().sort()).toEqual(ids.map(String).sort())
    expect(next).toEqual(week)
    for (const some of week) expect(Math.abs(some.length - 100)).toBeLessThan(40)
    // After a pause of the syncs, all overdue ids are requested at once.
    expect(await due({ now: epoch + 21 * DAY })).toHaveLength(700)
  })

  test('are due in every run for a draft that changed within the lookback', async () => {
    const report = (id: string, status: string, daysAgo: number) => ({
      meta: { post_mortem_id: id, status, updated_at_seconds: epoch - daysAgo * DAY },
    })
    await stored(
      incidents,
      ['p', 'q', 'r', 's'].map((post_mortem_id, index) => incident(index, { post_mortem_id })),
    )
    await stored(postMortems, [
      report('p', 'published', 1),
      report('q', 'draft', 30),
      report('s', 'draft', 32),
    ])
    for (const id of ['p', 'q', 'r', 's']) {
      await warehouse()
        .db.insertInto('sync_checks')
        .values({
          account_id: 1,
          resource: 'post_mortems',
          id,
          checked_at: new Date(epoch * 1_000),
          is_missing: id === 'r',
        })
        .execute()
    }
    expect((await dueIds(await context(), postMortems, postMortems.read)).together).toEqual(['q'])
    expect(
      (await dueIds(await context({ now: epoch + 7 * DAY }), postMortems, postMortems.read)).together,
    ).toEqual(['p', 'q', 'r', 's'])
  })
})
