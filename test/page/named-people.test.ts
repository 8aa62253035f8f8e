import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import { writeReport } from '../../src/page/write-report-files.ts'
import { listReports } from '../../src/report/report-catalog.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { findingWorld } from '../judge/finding-worlds.ts'
import { openReader } from '../support/storage.ts'
import { scratch, warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'

const companyWide = listReports('reports').flatMap(({ name }) => (name === 'on-call-handover' ? [] : [name]))

let reader: Reader
beforeAll(async () => {
  const { content } = findingWorld('nights on one person', 4)
  const open = {
    incident_severity: 'Critical',
    ack_time: 0,
    close_time: 0,
    end_time: 0,
    progress: 'Triggered',
  }
  const incidents = content.incidents.with(-1, { ...content.incidents.at(-1), ...open })
  reader = await openReader(
    await warehouseFile((connection) => inhabit(connection, { ...content, incidents })),
    { settings: defaultSettings },
  )
})
afterAll(() => reader?.close())

test.each(companyWide)('%s names people only in the rows of its lists', async (name) => {
  const result = await runReport(`reports/${name}.md`, reader, { timezone: 'UTC' })
  const folder = scratch()
  writeReport(result, folder, ['html', 'csv'])
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.(html|csv|json)$/.test(path),
  )
  const naming = files.flatMap((path) => {
    // The rows of lists are in these files, and in the tables of the pages of lists.
    if (/\/all_\w+\.csv$/.test(path)) return []
    const text = readFileSync(join(folder, path), 'utf8')
    const shown = path.includes('/incidents/') ? text.replaceAll(/<tbody>.*?<\/tbody>/gs, '') : text
    return /Person \d+/.test(shown) ? [path] : []
  })
  expect(files.length).toBeGreaterThan(5)
  expect(naming).toEqual([])
})
