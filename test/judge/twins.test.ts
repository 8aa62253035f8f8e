import { expect, test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { openReader } from '../support/storage.ts'
import { insert } from '../support/tables.ts'
import { warehouseFile } from '../support/warehouse.ts'

/** If every incident is Critical, the charts of all incidents and of Critical incidents are equal. */
const asOf = Date.UTC(2026, 10, 2) / 1_000

async function controlled(severities: readonly string[], report: string): Promise<string[]> {
  const file = await warehouseFile(async (connection) => {
    await insert(
      connection,
      'incidents',
      Array.from({ length: 120 }, (_, k) => ({
        incident_id: String(k).padStart(24, '0'),
        incident_severity: severities[k % severities.length],
        progress: 'Closed',
        start_time: asOf - (k + 1) * 86_400,
        close_time: asOf - k * 86_400,
        closer_id: 7,
        account_time_zone: 'UTC',
        updated_at: asOf,
      })),
    )
    await insert(connection, 'sync_runs', [{ run_id: 1, status: 'ok', finished_at: asOf, as_of_at: asOf }])
  })
  const reader = await openReader(file, { settings: defaultSettings })
  const { blocks } = await runReport(`reports/${report}.md`, reader)
  reader.close()
  return blocks.flatMap((block) =>
    block.kind === 'chart' && block.spec.type === 'control' ? [block.spec.y] : [],
  )
}

test.each([
  ['reliability-review', ['incidents', 'ttr'], ['incidents', 'ttr']],
  ['severity-trend', ['incidents', 'critical', 'info'], ['incidents']],
])('the report %s draws identical control charts only once', async (name, both, one) => {
  expect(await controlled(['Critical', 'Info'], name)).toEqual(both)
  expect(await controlled(['Critical'], name)).toEqual(one)
})
