import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { allReports } from '../../src/report/report-catalog.ts'

const folder = mkdtempSync(join(tmpdir(), 'faultline-names-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('custom reports that would write the same files are reported as errors', () => {
  for (const name of ['MTTA-MTTR', 'weekly', 'Weekly', 'Index', 'mine'])
    writeFileSync(join(folder, `${name}.md`), '---\ntitle: Own\n---\nText.\n')
  const reports = allReports(folder)
  const own = reports.filter(({ title }) => title === 'Own')
  const told = own.map(({ name, problem }) => [name, problem?.message ?? null])
  expect(told).toEqual([
    ['Index', '"index" is reserved for the page that lists all reports.'],
    ['MTTA-MTTR', null],
    ['Weekly', '"Weekly" and "weekly" would write the same files.'],
    ['mine', null],
    ['weekly', '"weekly" and "Weekly" would write the same files.'],
  ])
  expect(reports.some(({ name }) => name === 'mtta-mttr')).toBe(false)
})
