import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { runReport } from '../../../src/page/run-report.ts'
import type { ShiftEnd } from '../../../src/report/scope/shift.ts'
import { defaultSettings } from '../../../src/settings/settings.ts'
import { openReader } from '../../support/storage.ts'
import { reportFile, warehouseFile } from '../../support/warehouse.ts'
import { inhabit } from '../../support/world.ts'

const HOUR = 3_600
const DAY = 24 * HOUR
const start = Date.UTC(2026, 2, 9, 2, 30) / 1000
const file = reportFile(
  "```sql q\nselect account_id || '/' || incident_id as id, is_late from shift_incidents order by all\n```\nText.\n",
)

/**
 * The sync reads account 8 an hour before account 7. It reads every seventh incident one night late, and every 29th
 * incident two nights late.
 */
interface Incident {
  readonly account: number
  readonly id: number
  readonly startedAt: number
  readonly nights: number
}
const incidents = [7, 8].flatMap((account) =>
  Array.from({ length: 10 * 24 }, (_, id): Incident => {
    const nights = id % 29 === 0 ? 2 : id % 7 === 0 ? 1 : 0
    return { account, id, startedAt: start - DAY + id * HOUR + 600, nights }
  }),
)

async function sync(path: string, account: number, run: number, asOf: number): Promise<void> {
  const instance = await DuckDBInstance.create(path, { threads: '1' })
  const connection = await instance.connect()
  await connection.run(
    `insert into sync_runs by name select ${run} as run_id, ${account} as account_id, 'ok' as status,
      to_timestamp(${asOf + 60}) as finished_at, to_timestamp(${asOf}) as as_of_at`,
  )
  const read = incidents.filter((one) => one.account === account && one.startedAt + one.nights * DAY < asOf)
  await connection.run(
    `insert into incidents by name select ${account} as account_id, 'i' || id as incident_id, 'N' || id as num,
        'Critical' as incident_severity, 0 as channel_id, to_timestamp(started_at) as start_time, ${run} as _run_id
      from (values ${read.map(({ id, startedAt }) => `(${id}, ${startedAt})`).join(', ')}) as _(id, started_at)
      where not exists (from incidents i where i.account_id = ${account} and i.incident_id = 'i' || id)`,
  )
  connection.closeSync()
  instance.closeSync()
}

async function handover(path: string, shift: ShiftEnd | null) {
  const reader = await openReader(path, { settings: defaultSettings })
  const result = await runReport(file, reader, { shift, lists: false, timezone: 'UTC' })
  reader.close()
  const rows = result.queries[0]!.rows.map(([id, isLate]) => ({ id: String(id), isLate }))
  return { rows, end: result.shiftEnd! }
}

test('every incident appears in exactly one shift handover, even after failed syncs and with late records', async () => {
  const path = await warehouseFile((connection) => inhabit(connection, { incidents: [] }))
  const shown = new Map<string, number>()
  const late = new Set<unknown>()
  let shift: ShiftEnd | null = null
  let run = 0
  for (let half = 0; half <= 18; half++) {
    const asOf = start + half * 12 * HOUR
    run++
    // One sync fails for both accounts, and another sync for one account.
    if (half !== 6) await sync(path, 7, run, asOf)
    if (half !== 6 && half !== 10) await sync(path, 8, run, asOf - HOUR)
    // One handover is not delivered, so the next one starts at the end of the last delivered one.
    const { rows, end } = await handover(path, shift)
    if (half === 13) continue
    for (const { id, isLate } of rows) {
      shown.set(id, (shown.get(id) ?? 0) + 1)
      late.add(isLate)
    }
    if (shift === null || end.asOf >= shift.asOf) shift = end
  }
  const last = shift!.asOf.getTime() / 1000
  const read = incidents.filter(({ account, startedAt, nights }) => {
    const asOf = account === 7 ? last + HOUR : last
    return startedAt + nights * DAY < asOf && startedAt < last && startedAt >= start - HOUR - DAY
  })
  expect(read.length).toBeGreaterThan(350)
  const wrong = read.filter(({ account, id }) => shown.get(`${account}/i${id}`) !== 1)
  expect(wrong.map(({ account, id }) => [`${account}/i${id}`, shown.get(`${account}/i${id}`)])).toEqual([])
  expect(late).toEqual(new Set([true, false]))
})

test('the first shift handover covers 24 hours, and a handover without new data shows a warning', async () => {
  const path = await warehouseFile((connection) => inhabit(connection, { incidents: [] }))
  await sync(path, 7, 1, start + 3 * DAY)
  const { rows, end } = await handover(path, null)
  expect(rows.filter(({ isLate }) => !isLate)).toHaveLength(rows.length)
  expect(rows.length).toBeLessThanOrEqual(24)
  const reader = await openReader(path, { settings: defaultSettings })
  const warningsOf = async (shift: ShiftEnd | null) =>
    (await runReport(file, reader, { shift, lists: false, timezone: 'UTC', dueAt: (start + 3 * DAY) * 1000 }))
      .warnings
  expect((await warningsOf(null)).join()).toContain('covers the last 24 hours')
  expect((await warningsOf(end)).join()).toContain('No new data since 12')
  expect((await handover(path, end)).rows).toEqual([])
  reader.close()
})
