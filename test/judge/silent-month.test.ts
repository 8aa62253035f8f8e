import { afterAll, beforeAll, expect, test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import { summaryOf, words } from '../../src/render/summary.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { toMail } from '../../src/render/to-mail.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { pooled } from '../../src/warehouse/read/pool.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { openReader } from '../support/storage.ts'
import { storyContent } from '../support/story-world.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'
import { readAt } from './finding-worlds.ts'

let reader: Reader
beforeAll(async () => {
  const path = await warehouseFile((connection) => inhabit(connection, storyContent('silence', readAt)))
  reader = await openReader(path, { settings: defaultSettings })
})
afterAll(() => reader?.close())

test('the index shows a data gap as urgent', async () => {
  const options = { timezone: 'UTC', lists: false }
  const review = await runReport('reports/reliability-review.md', pooled(reader), options)
  expect(summaryOf(review).urgent).toMatch(/^No incidents recorded since /)
})

const run = (name: string, period: string) =>
  runReport(`reports/${name}.md`, pooled(reader), { timezone: 'UTC', lists: false, period })

test('a month with a data gap is not compared, and its opening names the gap', async () => {
  const { kpis, verdict } = await run('executive-summary', '2026-09')
  expect(words(verdict)).toMatch(
    /^September is not comparable with August: no incidents recorded since 14 Sep \(\d+ days; usual: \d+ per week\)\./,
  )
  expect(kpis.map(({ change }) => words(change!.verdict))).toEqual(
    kpis.map(() => 'not compared: data gap since 14 Sep'),
  )
})

test('a report on a period inside a data gap states since when no incidents were recorded', async () => {
  const day = new Date((readAt - 21 * 86_400) * 1000).toISOString().slice(0, 10)
  const end = new Date((readAt - 7 * 86_400) * 1000).toISOString().slice(0, 10)
  const month = await run('executive-summary', `${day}..${end}`)
  expect(month.empty).toBe(true)
  expect(toHtml(month)).toMatch(/<p class="nothing">No incidents recorded since .* \(\d+ days; usual: /)
  expect(toMail(month, null).subject).toMatch(/: no incidents (since|for) /)
})
