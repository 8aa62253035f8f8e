import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { run } from '../../support/cli.ts'
import { resetMachineClock, setMachineClock } from '../../support/machine-clock.ts'
import { hookServer } from '../../support/server.ts'
import { scratch, warehouseFile } from '../../support/warehouse.ts'

const HOUR = 3_600
const start = Date.UTC(2026, 2, 9, 8) / 1_000
const folder = scratch()

/** Stores one incident for each hour before `asOf`, as a sync would. */
async function read(path: string, number: number, asOf: number): Promise<void> {
  const instance = await DuckDBInstance.create(path, { threads: '1' })
  const connection = await instance.connect()
  await connection.run(`
    insert into sync_runs by name select ${number} as run_id, 7 as account_id, 'ok' as status,
      to_timestamp(${asOf + 60}) as finished_at, to_timestamp(${asOf}) as as_of_at;
    insert into incidents by name select 7 as account_id, (hour + 100)::varchar as incident_id, 'Critical' as incident_severity,
      0 as channel_id, to_timestamp(${start} + hour * ${HOUR} + 60) as start_time, ${number} as _run_id
    from range(-20, ${(asOf - start) / HOUR}) as hours (hour)
    where (hour + 100)::varchar not in (select incident_id from incidents)`)
  connection.closeSync()
  instance.closeSync()
}

test('`faultline report --due` delivers a handover with all incidents since the last delivered handover', async () => {
  const warehouse = await warehouseFile(async () => {})
  const mine = join(folder, 'mine')
  mkdirSync(mine)
  const query = '```sql shown\nselect incident_id from shift_incidents order by incident_id::int\n```\nHi.\n'
  writeFileSync(join(mine, 'shift.md'), `---\ntitle: Shift\nschedule: "0 8,20 * * *"\n---\n${query}`)
  let isRefused = false
  const hooks = await hookServer((response) => response.writeHead(isRefused ? 404 : 204).end())
  const included = ['executive-summary', 'mtta-mttr', 'on-call-handover', 'reliability-review']
  const off = [...included, 'severity-trend', 'team-overview'].map((name) => [name, false])
  const config = {
    ...{ timezone: 'UTC', warehouse, reports: mine, out: join(folder, 'out') },
    schedule: { reports: Object.fromEntries(off) },
    delivery: { webhook: { url: hooks.url } },
  }
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config))
  const shown: string[][] = []
  const csv = join(folder, 'out/shift/shown.csv')
  for (let shift = 0; shift < 4; shift++) {
    isRefused = shift === 1
    const now = start + shift * 12 * HOUR
    await read(warehouse, shift + 1, now)
    setMachineClock((now + 60) * 1_000)
    const { code } = await run(['report', '--due', '--format', 'csv'], {}, folder).finally(resetMachineClock)
    expect([shift, code]).toEqual([shift, isRefused ? 1 : 0])
    if (!isRefused) shown.push(readFileSync(csv, 'utf8').trim().split(/\s+/).slice(1))
  }
  await hooks.close()
  const hours = (from: number, to: number) => Array.from({ length: to - from }, (_, hour) => `${from + hour}`)
  expect(shown).toEqual([hours(80, 100), hours(100, 124), hours(124, 136)])
})
