import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import type { ReportResult } from '../../src/render/result.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { toMail } from '../../src/render/to-mail.ts'
import { toTerminal } from '../../src/render/to-terminal.ts'
import { listReports } from '../../src/report/report-catalog.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { pooled } from '../../src/warehouse/read/pool.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { objectsOf } from '../../src/warehouse/read/rows-to-objects.ts'
import { openReader } from '../support/storage.ts'
import { insert } from '../support/tables.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { asOf } from '../support/world.ts'

/** Four Critical incidents are open, and none is new in the period. */
let reader: Reader
beforeAll(async () => {
  const file = await warehouseFile(async (connection) => {
    const incidents = [1, 2, 3, 4].map((id) => ({
      incident_id: String(id).padStart(24, '0'),
      title: `Disk ${id} is full`,
      incident_severity: 'Critical',
      progress: 'Triggered',
      start_time: asOf - (400 + id) * 86_400,
      updated_at: asOf,
    }))
    await insert(connection, 'incidents', incidents)
    await insert(connection, 'sync_runs', [{ run_id: 1, status: 'ok', finished_at: asOf, as_of_at: asOf }])
  })
  reader = await openReader(file, { settings: defaultSettings })
})
afterAll(() => reader.close())

test('the handover report shows older open incidents, on the page and in mail', async () => {
  const handover = await runReport('reports/on-call-handover.md', reader)
  expect(handover.empty).toBe(false)
  expect(handover.verdict).toMatch(
    /^4 high-severity incidents are unacknowledged past their target\. The most urgent is Disk /,
  )
  expect(toHtml(handover)).not.toContain('No incidents in this period')
  const { subject, html } = toMail(handover, null)
  expect(subject).toBe('Handover: 4 unacknowledged past target')
  expect(html).toContain('Disk 4 is full')
})

test('every report except the handover counts older incidents that are still open', async () => {
  for (const name of ['executive-summary', 'mtta-mttr', 'reliability-review', 'severity-trend']) {
    const page = toHtml(await runReport(`reports/${name}.md`, reader))
    expect(page).toContain('4 older incidents are still open (4 Critical).')
  }
})

/** Open incidents with hours since their start, by default unacknowledged and Critical. */
const handovers: Record<string, { hours: number; [more: string]: unknown }[]> = {
  'twenty old and new incidents': Array.from({ length: 20 }, (_, place) => ({ hours: 1 + place * 24 })),
  'old, snoozed and new incidents': [
    { hours: 500, incident_severity: 'Warning' },
    { hours: 3, snoozed_before: asOf + 3_600 },
    { hours: 1 / 60 },
    { hours: 5 },
  ],
  'an acknowledged incident past its target': [{ hours: 60, ack_time: asOf - 59 * 3_600 }],
}

describe.each(Object.entries(handovers))('with %s open', (_, open) => {
  let own: Reader
  let sessions: ReturnType<typeof pooled>
  beforeAll(async () => {
    const path = await warehouseFile(async (connection) => {
      await insert(
        connection,
        'incidents',
        open.map(({ hours, ...more }, id) => ({
          incident_id: String(id).padStart(24, '0'),
          title: `Disk ${id} is full`,
          incident_severity: 'Critical',
          progress: 'Triggered',
          start_time: asOf - Math.round(hours * 3_600),
          updated_at: asOf,
          ...more,
        })),
      )
      await insert(connection, 'sync_runs', [{ run_id: 1, status: 'ok', finished_at: asOf, as_of_at: asOf }])
    })
    own = await openReader(path, { settings: defaultSettings })
    sessions = pooled(own)
  })
  afterAll(() => own?.close())
  const results = new Map<string, Promise<ReportResult>>()
  const reportOf = (name: string) => {
    const made =
      results.get(name) ?? runReport(`reports/${name}.md`, sessions, { timezone: 'UTC', lists: false })
    results.set(name, made)
    return made
  }

  test('no report page claims that no incidents are open', async () => {
    for (const { name } of listReports('reports')) {
      const page = toHtml(await reportOf(name))
      expect([name, /No (earlier )?incident is open|Nothing stands out/.exec(page)?.[0]]).toEqual([
        name,
        undefined,
      ])
    }
  })

  test('the lead, card and table of the handover report show the same numbers', async () => {
    const result = await reportOf('on-call-handover')
    const needs = objectsOf(result.queries.find(({ name }) => name === 'needs')!)
    const waiting = needs.filter(({ held }) => String(held).startsWith('Unacknowledged'))
    const [, several, worst] =
      /(?:Nobody has acknowledged|(\d+) high-severity incidents are unacknowledged past their target\. The most urgent is) (Disk \d+ is full)/.exec(
        result.verdict,
      ) ?? []
    expect(waiting.length).toBe(worst === undefined ? 0 : Number(several ?? 1))
    expect(waiting[0]?.title).toBe(worst)
    if (waiting.length === 0)
      expect(result.verdict).toMatch(
        needs.length === 1 ? /^1 incident needs action; / : /^No incident needs action; /,
      )
    expect(result.kpis[0]!.value[0]!.text).toBe(String(needs.length))
    const page = toHtml(result)
    const terminal = toTerminal(result, { width: 100, color: false })
    for (const text of [page, terminal]) {
      if (worst !== undefined) expect(text.match(new RegExp(worst, 'g'))!.length).toBeGreaterThan(1)
      expect(/All (\d+) rows/.exec(text)?.[1]).toBe(needs.length > 15 ? String(needs.length) : undefined)
    }
    if (/assign it/.test(result.verdict)) expect(result.verdict).not.toContain('downgrade incidents that')
  })
})
