import { expect, test } from 'vitest'
import { words } from '../../src/render/summary.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'
import { report, reportOn } from './company-report.ts'
import { company, readAt } from './odd-worlds.ts'

const block = (kind: string, text: string) => `\`\`\`${kind}\n${text}\n\`\`\`\n`

/** One more incident in each month from March to October. */
const months = Array.from({ length: 8 }, (_, month) =>
  Array.from({ length: 53 + month }, (_, place) => ({
    ago: (readAt - Date.UTC(2026, 2 + month, 1 + (place * 29) / 60, 6) / 1_000) / 86_400,
  })),
).flat()

async function openingWith(chart: string): Promise<string> {
  const body = `${block('findings', 'about: [open]')}${block('kpi', '- { metric: incidents }')}${block('chart', `type: columns\ntitle: T\nmetric: incidents\nby: month\n${chart}`)}`
  const file = await warehouseFile((connection) => inhabit(connection, company(months)))
  const made = report(body, '{ period: 1 month }\nshort: month')
  return words((await reportOn(file, made, { timezone: 'UTC' })).verdict)
}

test('a month is compared with earlier months in the chart of the same metric', async () => {
  expect(await openingWith('')).toMatch(/Incidents: 60 in October, 59 in September; the most in 8 months\./)
})

test('a month is not compared with a chart of other incidents', async () => {
  expect(await openingWith("where: severity = 'Critical'")).toMatch(
    /October was an ordinary month for incidents \(60; September: 59\)\./,
  )
})
