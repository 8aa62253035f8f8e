import { afterAll, beforeAll, expect, test } from 'vitest'
import { defaultSettings } from '../../src/config/settings.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { toMail } from '../../src/render/to-mail.ts'
import { runReport } from '../../src/report/run.ts'
import { openReader, type Reader } from '../../src/warehouse/read/reader.ts'
import { insert } from '../support/tables.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { asOf } from '../support/world.ts'

/** Review S1-1: four Criticals are open, and nothing new came in the period. */
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

test('the handover speaks of what is open, on the page and in its mail', async () => {
  const handover = await runReport('reports/on-call-handover.md', reader)
  expect(handover.empty).toBe(false)
  expect(handover.verdict).toMatch(
    /^Nobody has acknowledged 4 serious open incidents; the worst is .*\. In all: 4 open now, 4 of them Critical/,
  )
  expect(toHtml(handover)).not.toContain('No incidents in this period')
  const { subject, html } = toMail(handover, null)
  expect(subject).toMatch(/Nobody has acknowledged 4 serious open incidents/)
  expect(html).toContain('Disk 4 is full')
})

test('the others say that nothing is new, and what is open', async () => {
  for (const name of ['executive-summary', 'mtta-mttr', 'reliability-review', 'severity-trend']) {
    const page = toHtml(await runReport(`reports/${name}.md`, reader))
    expect(page).toContain('still open from before: 4, of them Critical: 4.')
  }
})
