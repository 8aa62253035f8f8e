import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import { writeReport } from '../../src/page/write-report-files.ts'
import { listReports } from '../../src/report/report-catalog.ts'
import { pooled } from '../../src/warehouse/read/pool.ts'
import { worlds } from '../browser/worlds.ts'
import { listLinks, mistakesOfLinks } from '../support/list-links.ts'
import { scratch } from '../support/warehouse.ts'
import { readerOn } from './company-report.ts'

const names = listReports('reports').map(({ name }) => name)
const walked = [
  ...['two thousand', 'all open', 'hostile'],
  ...(inject('isLarge') ? ['forty', 'Critical only', 'wide and right-to-left names'] : []),
]

describe.each(walked)('in the scenario “%s”,', (world) => {
  const folder = scratch()
  const opened = readerOn(worlds[world]!)
  let sessions: ReturnType<typeof pooled>
  beforeAll(() => {
    sessions = pooled(opened.reader)
  })

  test.each(names)('every number in %s links to an incident list of that length', async (name) => {
    const result = await runReport(`reports/${name}.md`, sessions)
    expect(result.warnings).toEqual([])
    writeReport(result, folder, ['html', 'csv'])
    const page = join(folder, `${name}.html`)
    expect(mistakesOfLinks(page)).toEqual([])
    const led = new Set(listLinks(readFileSync(page, 'utf8')).map(({ href }) => href.split('/').at(-1)))
    const lists = join(folder, name, 'incidents')
    expect(existsSync(lists) ? readdirSync(lists).sort() : []).toEqual([...led].sort())
  })
})
