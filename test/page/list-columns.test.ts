import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import { listPage } from '../../src/render/list-page.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { openReader } from '../support/storage.ts'
import { insert } from '../support/tables.ts'
import { reportFile, warehouseFile } from '../support/warehouse.ts'

const MINUTE = 60
const asOf = Date.UTC(2026, 10, 9) / 1_000
const start = asOf - 30 * 3_600
const long = `disk full on ${'node-'.repeat(30)}9`
/** Times in minutes. The longest to acknowledge is not the longest to resolve. */
const incidents = [
  { title: 'quick', incident_severity: 'Critical', ack: 1, close: 300 },
  { title: long, incident_severity: 'Info', ack: 40, close: 50 },
  { title: 'middle', incident_severity: 'Warning', ack: 9, close: 10 },
  { title: '<b>never', incident_severity: 'Warning', close: 20 },
  { title: 'open', incident_severity: 'Warning' },
].map(({ ack, close, ...one }: { ack?: number; close?: number; [more: string]: unknown }, index) => ({
  ...one,
  incident_id: String(index).padStart(24, '0'),
  progress: close === undefined ? 'Triggered' : 'Closed',
  closer_id: close === undefined ? 0 : 7,
  detail_url: `https://service.test/${index}`,
  start_time: start,
  ack_time: ack === undefined ? 0 : start + ack * MINUTE,
  close_time: close === undefined ? 0 : start + close * MINUTE,
  channel_id: 1,
  account_time_zone: 'UTC',
  updated_at: asOf,
}))

let reader: Reader
beforeAll(async () => {
  const file = await warehouseFile(async (connection) => {
    await insert(connection, 'incidents', incidents)
    // The pages of one person are two hours apart.
    await insert(
      connection,
      'incident_responders',
      [0, 1].map((index) => ({
        ...{ incident_id: incidents[index]!.incident_id, ordinal: 0, person_id: 6 },
        assigned_at: start + index * 120 * MINUTE,
      })),
    )
    await insert(connection, 'members', [{ member_id: 6, member_name: 'Ana' }])
    await insert(connection, 'channels', [{ channel_id: 1, channel_name: 'alerts', team_id: 1 }])
    await insert(connection, 'teams', [{ team_id: 1, team_name: 'Payments' }])
    await insert(connection, 'sync_runs', [{ run_id: 1, status: 'ok', finished_at: asOf, as_of_at: asOf }])
  })
  reader = await openReader(file, {
    settings: { ...defaultSettings, personZones: [{ person_id: '6', timezone: 'Asia/Tokyo' }] },
  })
})
afterAll(() => reader.close())

/** Returns the cells of the list for one `incidents` key, by row, with the header first. */
async function listOf(query: string, incidents: string, label = 'Number') {
  const file = reportFile(
    `\`\`\`sql q\n${query}\n\`\`\`\n\n\`\`\`kpi\n- { label: ${label}, value: q.n, format: number, incidents: ${incidents} }\n\`\`\`\n`,
  )
  const result = await runReport(file, reader, { timezone: 'UTC', period: '1 week' })
  expect(result.warnings).toEqual([])
  const html = listPage(result.lists!.lists[0]!, result, { name: 'q', csv: true })
  const cells = (row: string) =>
    row
      .split(/<t[dh][^>]*>/)
      .slice(1)
      .map((cell) =>
        cell
          .replace(/<[^>]*>/g, '')
          .replace(/[\u00a0\u202f]/g, ' ')
          .trim(),
      )
  const columns = result.lists!.all[0]!.columns.map(({ name }) => name)
  return { html, columns, rows: html.split('<tr>').slice(1).map(cells) }
}
const count = (where: string) =>
  `select count(*) as n from scoped_incidents where period = 'current' and ${where}`

describe('an incident list', () => {
  test('for response times starts with the time column, longest time first', async () => {
    const { html, rows } = await listOf(count('tta is not null'), '{ tta: known }')
    expect(rows).toEqual([
      ['Time to acknowledge', 'Severity', 'Incident', 'Team', 'State', 'Start'],
      ['40 min', 'Info', long, 'Payments', 'closed', '7 Nov 18:00'],
      ['9 min', 'Warning', 'middle', 'Payments', 'closed', '7 Nov 18:00'],
      ['1 min', 'Critical', 'quick', 'Payments', 'closed', '7 Nov 18:00'],
    ])
    expect(html).toContain('<p>Longest time to acknowledge first.</p>')
    const resolved = await listOf(count('ttr is not null'), '{ where: ttr is not null }')
    expect(resolved.rows.map(([time, , title]) => [time, title])).toEqual([
      ['Time to resolve', 'Incident'],
      ['5 h', 'quick'],
      ['50 min', long],
      ['20 min', '&lt;b&gt;never'],
      ['10 min', 'middle'],
    ])
  })

  test('shows how long an incident has been unacknowledged', async () => {
    const { rows } = await listOf(count('not acknowledged'), '{ acknowledged: false }')
    expect(rows.map(([time, , title, , state]) => [time, title, state])).toEqual([
      ['Time to acknowledge', 'Incident', 'State'],
      ['not in 1 d 6 h', 'open', 'open, not acknowledged'],
      ['not in 20 min', '&lt;b&gt;never', 'closed, not acknowledged'],
    ])
  })

  test('for a count is sorted by severity, then duration', async () => {
    const { html, rows } = await listOf(count('true'), '{ period: current }')
    expect(rows.map(([severity, title, , , time]) => [severity, title, time])).toEqual([
      ['Severity', 'Incident', 'Duration'],
      ['Critical', 'quick', '5 h'],
      ['Warning', 'open', '1 d 6 h'],
      ['Warning', '&lt;b&gt;never', '20 min'],
      ['Warning', 'middle', '10 min'],
      ['Info', long, '50 min'],
    ])
    expect(html).not.toContain('<b>never')
  })

  test.each([
    ['{ missed_targets: target }', 'Warning incidents not acknowledged within target: 2'],
    ['{ severity: Warning, acknowledged: false }', 'Number · Time to acknowledge: 2 incidents'],
  ])('%s has the title “%s”', async (incidents, title) => {
    const { html } = await listOf(`select 'acknowledge Warning' as target, 2 as n`, incidents)
    expect(html).toContain(`<h1>${title}</h1>`)
  })

  test.each([
    ['{ decided_targets: target }', 'Warning incidents by time to acknowledge: 3, 2 late'],
    [
      '{ severity: Warning, ack_outcome: [met, missed] }',
      'Number · Time to acknowledge: 3 incidents, 2 late',
    ],
  ])('for the share within target (%s) has the late incidents first, and marks them', async (one, title) => {
    const { html, rows } = await listOf(`select 'acknowledge Warning' as target, 3 as n`, one)
    expect(html).toContain(`<h1>${title}</h1>`)
    expect(html).toContain('<p>Late incidents first, then by time to acknowledge.</p>')
    expect(rows.map(([time, late, , name]) => [time, late, name])).toEqual([
      ['Time to acknowledge', 'Late', 'Incident'],
      ['not in 1 d 6 h', 'yes', 'open'],
      ['not in 20 min', 'yes', '&lt;b&gt;never'],
      ['9 min', 'no', 'middle'],
    ])
  })

  test('for another share has the incidents that it counts first, and marks them', async () => {
    const file = reportFile(
      '```kpi\n- { metric: outside_working_hours, where: "severity <> \'Info\'" }\n- { metric: critical_share }\n```\n',
    )
    const result = await runReport(file, reader, { timezone: 'UTC', period: '1 week' })
    const html = result.lists!.lists.map((list) => listPage(list, result, { name: 'q', csv: true }))
    expect(html[0]).toContain('<h1>Outside working hours: 4 of 4 incidents</h1>')
    expect(html[1]).toContain('<h1>Critical share: 1 of 5 incidents</h1>')
    expect(html[1]).toContain('<p>Counted incidents first, then by severity and duration.</p>')
    expect(html[1]!.match(/<td>(yes|no)/g)).toEqual(['<td>yes', ...Array(4).fill('<td>no')])
  })

  test('for pages shows each person and the person’s local time, newest page first', async () => {
    const { html, rows, columns } = await listOf('select count(*) as n from scoped_pages', '{ of: pages }')
    expect(rows).toEqual([
      ['Page', 'Local time', 'Person', 'Severity', 'Incident', 'Team', 'State'],
      ['7 Nov 20:00', '05:00', 'Ana', 'Info', long, 'Payments', 'closed'],
      ['7 Nov 18:00', '03:00', 'Ana', 'Critical', 'quick', 'Payments', 'closed'],
    ])
    expect(html).toContain('all_pages.csv')
    expect(columns).toContain('paged_at')
    expect(columns).not.toContain('start_time')
  })
})
