import { expect, test } from 'vitest'
import { words } from '../../src/render/summary.ts'
import { reportOn } from '../page/company-report.ts'
import { company } from '../page/odd-worlds.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'

test('the review names an integration without incidents, although its channel still has some', async () => {
  const made = Array.from({ length: 900 }, (_, place) => ({ ago: 0.4 + place * 0.4 }))
  const content = company(made)
  const incidents = content.incidents!.map((one, place) => ({
    ...one,
    integration_type: place % 2 === 0 ? 'prometheus' : 'grafana',
  }))
  const silent = incidents.filter((one, place) => one.integration_type === 'grafana' || made[place]!.ago > 40)
  const file = await warehouseFile((connection) => inhabit(connection, { ...content, incidents: silent }))
  const { verdict, kpis } = await reportOn(file, 'reports/reliability-review.md', { timezone: 'UTC' })
  const text =
    '---\ntitle: Own\nparams: { period: 13 weeks }\n---\n\n```kpi own\n- { metric: incidents }\n```\n'
  const own = await reportOn(file, 'own.md', { timezone: 'UTC', text })
  expect(words(verdict)).toMatch(
    /^No incidents recorded from Payments alerts, prometheus since \d+ Sep \(\d+ days; usual: [\d.]+ per week\)\./,
  )
  expect(words(kpis[0]!.change!.verdict)).toMatch(
    /^not compared: no incidents recorded from Payments alerts, prometheus since \d+ Sep$/,
  )
  // A report without a findings block has the same verdict.
  expect(own.kpis[0]!.change!.verdict).toBe(kpis[0]!.change!.verdict)
})
