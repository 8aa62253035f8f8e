import { expect, test } from 'vitest'
import { defaultSettings } from '../../src/config/settings.ts'
import { runReport } from '../../src/report/run.ts'
import { openReader } from '../../src/warehouse/read/reader.ts'
import { insert } from '../support/tables.ts'
import { warehouseFile } from '../support/warehouse.ts'

/** Issue 16: the review and the times show the last 12 months, by the local clock, partial ones marked. */
const HOUR = 3_600
const at = (text: string) => Date.parse(text) / 1_000
const asOf = at('2026-11-10T12:00:00Z')
/** Begins, seconds to acknowledge, seconds to close. The second lies in June in Berlin. */
const begun: [string, number | null, number | null][] = [
  ['2026-05-20T12:00:00Z', 60, HOUR],
  ['2026-05-31T22:30:00Z', 120, 2 * HOUR],
  ['2026-06-15T12:00:00Z', 240, 4 * HOUR],
  ['2026-09-02T12:00:00Z', null, HOUR],
  ['2026-11-10T00:00:00Z', 60, null],
]

async function monthsOf(report: string, options: object = {}) {
  const file = await warehouseFile(async (connection) => {
    await insert(
      connection,
      'incidents',
      begun.map(([text, ack, close], index) => ({
        incident_id: String(index).padStart(24, '0'),
        incident_severity: index === 0 ? 'Critical' : 'Info',
        start_time: at(text),
        ack_time: ack === null ? 0 : at(text) + ack,
        close_time: close === null ? 0 : at(text) + close,
        closer_id: ack === null ? 0 : 7,
        progress: close === null ? 'Processing' : 'Closed',
        account_time_zone: 'Europe/Berlin',
        updated_at: asOf,
      })),
    )
    await insert(connection, 'sync_runs', [{ run_id: 1, status: 'ok', finished_at: asOf, as_of_at: asOf }])
  })
  const reader = await openReader(file, { settings: defaultSettings })
  const result = await runReport(`reports/${report}.md`, reader, options)
  reader.close()
  const { columns, rows } = result.queries.find(({ name }) => name === 'months')!
  return rows.map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, row[index]])))
}

test.each(['reliability-review', 'mtta-mttr'])(
  '%s counts every month, with medians of its own',
  async (name) => {
    const none = { critical: 0n, tta: null, ttr: null, open: 0n, is_partial: false }
    expect(await monthsOf(name)).toMatchObject([
      { ...none, month: '2026-05-01', is_partial: true, incidents: 1n, critical: 1n, tta: 60, ttr: HOUR },
      { ...none, month: '2026-06-01', incidents: 2n, tta: 180, ttr: 3 * HOUR },
      { ...none, month: '2026-07-01', incidents: 0n },
      { ...none, month: '2026-08-01', incidents: 0n },
      { ...none, month: '2026-09-01', incidents: 1n, ttr_n: 0n },
      { ...none, month: '2026-10-01', incidents: 0n },
      { ...none, month: '2026-11-01', is_partial: true, incidents: 1n, tta: 60, open: 1n },
    ])
  },
)

test('a period of its own ends them', async () => {
  const months = await monthsOf('mtta-mttr', { period: '2026-08' })
  expect(months.map(({ month, is_partial }) => [month, is_partial])).toEqual([
    ['2026-05-01', true],
    ['2026-06-01', false],
    ['2026-07-01', false],
    ['2026-08-01', false],
  ])
})
