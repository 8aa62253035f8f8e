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

/** Files and tables that name the people who may have to be contacted about an urgent incident. */
const urgent = { file: 'on-call-handover/needs.csv', table: /<h2[^>]*>Needs action now.*?<\/table>/s }

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

/** Writes a report, and returns its number of files and those that name people outside of lists. */
async function filesNaming(name: string, team?: string) {
  const result = await runReport(`reports/${name}.md`, reader, { timezone: 'UTC', ...(team && { team }) })
  const folder = scratch()
  writeReport(result, folder, ['html', 'csv'])
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.(html|csv|json)$/.test(path),
  )
  const naming = files.filter((path) => {
    // The rows of lists are in these files, and in the tables of the pages of lists.
    if (/\/all_\w+\.csv$/.test(path) || path === urgent.file) return false
    const text = readFileSync(join(folder, path), 'utf8').replace(urgent.table, '')
    const shown = path.includes('/incidents/') ? text.replaceAll(/<tbody>.*?<\/tbody>/gs, '') : text
    return /Person \d+/.test(shown) || /person-\d{1,3}\b/i.test(path)
  })
  return { count: files.length, naming }
}

test.each(listReports('reports'))(
  '$name names people only in the rows of its lists, and for an urgent incident',
  async ({ name }) => {
    const { count, naming } = await filesNaming(name)
    expect(count).toBeGreaterThan(5)
    expect(naming).toEqual([])
  },
)

test('the handover of a team names people in its load table, and never in titles and names of lists', async () => {
  const { naming } = await filesNaming('on-call-handover', await busiestTeam())
  expect(naming.sort()).toEqual(['on-call-handover.html', 'on-call-handover/own.csv'])
})

async function busiestTeam(): Promise<string> {
  const { rows } = await reader.query(
    'select team_name from incident_times group by all order by count(*) desc limit 1',
  )
  return String(rows[0]![0])
}
