import { expect, test } from 'vitest'
import { reportOn, rowsOf } from '../page/company-report.ts'
import { insert } from '../support/tables.ts'
import { warehouseFile } from '../support/warehouse.ts'

const HOUR = 3_600
const at = (text: string) => Date.parse(text) / 1_000
const asOf = at('2026-11-10T12:00:00Z')
/** Start, seconds to acknowledge and to close. The second incident starts in June in Berlin. */
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
  const result = await reportOn(file, `reports/${report}.md`, options)
  return (query: string) => rowsOf(result, query)
}

test.each(['reliability-review', 'mtta-mttr'])(
  'the report %s shows the median of every month, and marks partial months',
  async (name) => {
    const none = { time_to_resolve: null, time_to_resolve_n: 0n, time_to_resolve_open: 0n, is_partial: false }
    const of = (time_to_resolve: number, time_to_resolve_n: bigint) => ({
      time_to_resolve,
      time_to_resolve_n,
    })
    expect((await monthsOf(name))('time_to_resolve_by_month')).toMatchObject([
      { ...none, ...of(HOUR, 1n), month: '2026-05-01', is_partial: true },
      { ...none, ...of(3 * HOUR, 2n), month: '2026-06-01' },
      { ...none, month: '2026-07-01' },
      { ...none, month: '2026-08-01' },
      { ...none, month: '2026-09-01' },
      { ...none, month: '2026-10-01' },
      { ...none, month: '2026-11-01', is_partial: true, time_to_resolve_open: 1n },
    ])
  },
)

test('the monthly chart includes months without incidents', async () => {
  const months = (await monthsOf('mtta-mttr'))('incidents_by_month')
  expect(months.map(({ incidents }) => incidents)).toEqual([1n, 2n, 0n, 0n, 1n, 0n, 1n])
})

test('a monthly chart ends with the requested month if that is in the past', async () => {
  const months = (await monthsOf('mtta-mttr', { period: '2026-08' }))('incidents_by_month')
  expect(months.map(({ month, is_partial }) => [month, is_partial])).toEqual([
    ['2026-05-01', true],
    ['2026-06-01', false],
    ['2026-07-01', false],
    ['2026-08-01', false],
  ])
})

test('a report over more than a year charts months instead of weeks', async () => {
  const queries = await monthsOf('reliability-review', { period: '2025-11-01..2026-11-09' })
  const months = queries('summary_weekly')
  expect(months.map(({ week, incidents }) => [week, incidents]).slice(0, 3)).toEqual([
    ['2026-05-01', 1n],
    ['2026-06-01', 2n],
    ['2026-07-01', 0n],
  ])
  expect(queries('more')[0]).toMatchObject({ by: 'month' })
})
