import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, inject, test } from 'vitest'
import { warehouseFiles } from '../../src/warehouse/file/files.ts'
import { noteReportRun } from '../../src/warehouse/read/report-runs.ts'
import { reportOn } from '../page/company-report.ts'
import { reportFile, scratch } from '../support/warehouse.ts'
import { incident, sync } from './restated-world.ts'

const file = reportFile(
  `\`\`\`sql s
select count(*) as incidents from scoped_incidents where period = 'current'
\`\`\`
\`\`\`kpi
- { label: Incidents, value: s.incidents, format: number }
\`\`\`
`,
  'title: T\nparams: { period: "2026-10-05..2026-10-12", timezone: UTC }',
)

let path: string
const TEAMS = ['Payments', 'Checkout']

const channel = (team: number, run: number, updated: string, seen: string) =>
  `insert into channels by name select 1 as account_id, 5 as channel_id, 'pay-alerts' as channel_name, ${team} as team_id,
    timestamptz '${updated} 00:00:00+00' as updated_at, timestamptz '${seen} 00:00:00+00' as _seen_at, ${run} as _run_id`

beforeAll(async () => {
  path = join(scratch(), 'warehouse.duckdb')
  copyFileSync(inject('templates').synced, path)
  const at = (id: string, day: string) =>
    incident(id, 1, { channel_id: '5', start_time: `timestamptz '2026-10-${day} 10:00:00+00'` })
  await sync(
    path,
    1,
    '2026-10-12 00:00:00+00',
    ...TEAMS.map(
      (name, place) =>
        `insert into teams by name select 1 as account_id, ${place + 1} as team_id, '${name}' as team_name`,
    ),
    channel(1, 1, '2026-01-01', '2026-10-01'),
    `insert into channels by name select 1 as account_id, 6 as channel_id, 'checkout-alerts' as channel_name, 2 as team_id`,
    incident('own', 1, { channel_id: '6' }),
    ...['05', '06', '07', '08', '09'].map((day) => at(`d${day}`, day)),
  )
})

/** Runs the report of each team. Returns the incident count and the reasons for a restatement. */
async function pages(now: string) {
  const found = []
  for (const team of TEAMS) {
    const result = await reportOn(path, file, { team })
    noteReportRun(warehouseFiles(path), result.run, { version: '1.2.3', now: Date.parse(now) })
    const reasons = result.restated?.figures.flatMap((one) => one.reasons) ?? []
    found.push({
      count: result.run.figures[0]!.value,
      because: reasons.map(({ reason, incidents }) => `${incidents} ${reason}`),
    })
  }
  return found
}

test('a report assigns incidents to the new team of a channel from the move on, and explains the restatement', async () => {
  expect(await pages('2026-10-12T01:00:00Z')).toEqual([
    { count: 5, because: [] },
    { count: 1, because: [] },
  ])
  // Channels are read once a week, so the move on the 8th is seen on the 13th.
  await sync(
    path,
    2,
    '2026-10-13 00:00:00+00',
    `insert into channel_versions by name select *, timestamptz '2026-10-13 00:00:00+00' as _replaced_at from channels
      where channel_id = 5`,
    'delete from channels where channel_id = 5',
    channel(2, 2, '2026-10-08', '2026-10-13'),
  )
  const because = ['2 in a channel that moved to another team']
  expect(await pages('2026-10-13T01:00:00Z')).toEqual([
    { count: 3, because },
    { count: 3, because },
  ])
  await sync(path, 3, '2026-10-14 00:00:00+00')
  expect(await pages('2026-10-14T01:00:00Z')).toEqual([
    { count: 3, because: [] },
    { count: 3, because: [] },
  ])
})
