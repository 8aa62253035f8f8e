import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import { writeReport } from '../../src/page/write-report-files.ts'
import type { ReportResult } from '../../src/render/result.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { worlds } from '../browser/worlds.ts'
import { listLinks } from '../support/list-links.ts'
import { openReader } from '../support/storage.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { deliveringOfTests, mailTo, targets } from './delivering.ts'

/** A mailed or printed report page is separate from the output folder, so it must not link to files in that folder. */
const to = deliveringOfTests()
let result: ReportResult
beforeAll(async () => {
  const reader = await openReader(await warehouseFile(worlds.forty!), { settings: defaultSettings })
  result = await runReport('reports/severity-trend.md', reader)
  reader.close()
})

/** Links of a page that lead neither to a place within it nor to another machine. */
const dead = (page: string) =>
  [...page.matchAll(/href="([^"]*)"/g)]
    .map(([, href]) => href!)
    .filter(
      (href) => !href.startsWith('https://') && !(href[0] === '#' && page.includes(`id="${href.slice(1)}"`)),
    )

async function attached(link?: string): Promise<string> {
  const mails = await to.smtp()
  const done = await to.send(result, {
    ...targets({ mail: mailTo(mails.port) }),
    link,
  })
  expect(done.map(({ error }) => error)).toEqual([null])
  const { raw } = mails.mails[0]!
  const part = raw.slice(raw.indexOf('filename=')).split('\r\n\r\n')[1]!.split('\r\n--')[0]!
  return Buffer.from(part, 'base64').toString()
}

test('a report page that is mailed alone has plain numbers instead of links', async () => {
  for (const page of [toHtml(result), await attached()]) {
    expect(page).toContain('<svg')
    expect(dead(page)).toEqual([])
    expect(listLinks(page)).toEqual([])
  }
})

describe('a mailed report page with a public URL', () => {
  test('links its numbers to published lists', async () => {
    writeReport(result, to.out, ['html', 'csv'])
    const page = await attached('https://reports.example/faultline/')
    expect(dead(page)).toEqual([])
    const links = listLinks(page)
    expect(links.length).toBeGreaterThan(20)
    for (const { href } of links)
      expect(existsSync(join(to.out, href.replace('https://reports.example/faultline/', ''))), href).toBe(
        true,
      )
  })

  test('shows plain text for a number without a published list', async () => {
    rmSync(join(to.out, 'severity-trend', 'incidents'), { recursive: true, force: true })
    const page = await attached('https://reports.example/faultline/')
    expect([dead(page), listLinks(page)]).toEqual([[], []])
  })
})
