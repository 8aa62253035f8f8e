import { beforeAll, describe, expect, test } from 'vitest'
import type { ReportResult } from '../../src/render/result.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { insert } from '../support/tables.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { reportOn, rowsOf } from './company-report.ts'

const HOUR = 3_600
const asOf = Date.UTC(2026, 10, 9) / 1_000
const start = asOf - 30 * HOUR
const done = { progress: 'Closed', closer_id: 7 }
/** Targets are 5 minutes and 4 hours for Critical, and 15 minutes and a day for Warning. */
const incidents = [
  { title: 'on time', incident_severity: 'Critical', ack: 60, close: HOUR, ...done, post_mortem_id: 'p' },
  { title: 'late twice', incident_severity: 'Critical', ack: 400, close: 6 * HOUR, ...done },
  { title: '<b>nobody', incident_severity: 'Warning', close: HOUR, ...done },
  { title: 'waits', incident_severity: 'Warning', progress: 'Triggered' },
  { title: 'later', incident_severity: 'Warning', ack: 900 + HOUR, close: 2 * HOUR, ...done },
].map(({ ack, close, ...one }: { ack?: number; close?: number; [more: string]: unknown }, index) => ({
  ...one,
  incident_id: String(index).padStart(24, '0'),
  num: `INC-${index}`,
  detail_url: `https://service.test/${index}`,
  start_time: start,
  ack_time: ack === undefined ? 0 : start + ack,
  close_time: close === undefined ? 0 : start + close,
  channel_id: 1,
  account_time_zone: 'UTC',
  updated_at: asOf,
}))

describe('the reliability review', () => {
  let review: ReportResult
  let pricedReview: ReportResult
  beforeAll(async () => {
    const file = await warehouseFile(async (connection) => {
      await insert(connection, 'incidents', incidents)
      await insert(
        connection,
        'incident_responders',
        [5, 6].map((person_id) => ({
          incident_id: incidents[1]!.incident_id,
          ordinal: person_id,
          person_id,
          assigned_at: start,
          acknowledged_at: person_id === 6 ? start + 400 : 0,
        })),
      )
      await insert(connection, 'members', [{ member_id: 6, member_name: 'Ana' }])
      await insert(connection, 'channels', [{ channel_id: 1, channel_name: 'alerts', team_id: 1 }])
      await insert(connection, 'teams', [{ team_id: 1, team_name: 'Payments' }])
      await insert(connection, 'sync_runs', [{ run_id: 1, status: 'ok', finished_at: asOf, as_of_at: asOf }])
    })
    const options = { timezone: 'UTC', period: '1 week' }
    review = await reportOn(file, 'reports/reliability-review.md', options)
    const { thresholds } = defaultSettings
    const priced = { ...defaultSettings, thresholds: [...thresholds, { name: 'hourly_cost', value: 90 }] }
    pricedReview = await reportOn(file, 'reports/reliability-review.md', { ...options, settings: priced })
  })

  test('lists high-severity incidents closed without a post-mortem, most recently closed first', () => {
    expect(rowsOf(review, 'unlearned').map(({ title, closed_for }) => [title, closed_for])).toEqual([
      ['late twice', 24 * HOUR],
      ['later', 28 * HOUR],
      ['<b>nobody', 29 * HOUR],
    ])
  })

  test('shows a maximum cost only if the configuration has a cost per hour', () => {
    expect(rowsOf(pricedReview, 'cost')).toEqual([
      { team: 'Payments', people: 1n, engaged: expect.closeTo(5.889, 3), cost: expect.closeTo(530, 6) },
    ])
    expect(toHtml(pricedReview)).toContain('Cost (upper bound)')
    expect(toHtml(review)).not.toMatch(/what it cost|>cost</i)
  })

  test('links to listed incidents, and escapes text from the service', () => {
    const page = toHtml(review)
    expect(page).toContain('href="https://service.test/1"')
    expect(page).toContain('&lt;b&gt;nobody')
    expect(page).not.toContain('<b>nobody')
  })
})
