import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findChromium } from '../../src/config/chromium.ts'
import { printPage } from '../../src/delivery/print-page.ts'
import { DeliveryError } from '../../src/errors.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { ownFolder } from '../support/folder.ts'
import { sample } from '../support/report-result.ts'
import { hookServer } from '../support/server.ts'

const folder = ownFolder()

/** Calls `act` with another `CHROMIUM` and another path. */
async function withEnvironment<Result>(changes: Record<string, string>, act: () => Promise<Result>) {
  const before = { CHROMIUM: process.env.CHROMIUM, PATH: process.env.PATH }
  Object.assign(process.env, changes)
  try {
    return await act()
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}

describe.skipIf(process.platform === 'win32')('the browser for PDF files and pictures', () => {
  test('is the configured program or the first executable on the path', () => {
    const [first, second] = [join(folder, 'first'), join(folder, 'second')]
    mkdirSync(join(first, 'chromium'), { recursive: true })
    mkdirSync(second)
    for (const name of ['chromium-browser', 'google-chrome']) writeFileSync(join(second, name), '#!/bin/sh\n')
    chmodSync(join(second, 'google-chrome'), 0o755)
    const PATH = [first, second].join(delimiter)
    expect(findChromium({ PATH })).toBe(join(second, 'google-chrome'))
    expect(findChromium({ PATH, CHROMIUM: '/opt/mine' })).toBe('/opt/mine')
    expect(findChromium({ PATH: first })).toBeNull()
    expect(findChromium({})).toBeNull()
  })

  test.each([
    [{ CHROMIUM: '', PATH: folder }, /Chromium was not found/],
    [{ CHROMIUM: join(folder, 'nowhere') }, /nowhere does not start/],
  ])('is reported as missing, with advice: %j', async (changes, message) => {
    const made = withEnvironment(changes, () => printPage('<p>a</p>', ['pdf']))
    await expect(made).rejects.toThrow(DeliveryError)
    await expect(made).rejects.toThrow(message)
    await expect(made).rejects.toMatchObject({ next: expect.stringContaining('CHROMIUM') })
  })
})

describe.skipIf(findChromium() === null)('a report page', () => {
  test('is printed as an A4 PDF and as a picture of the top', async () => {
    const { pdf, png } = await printPage(toHtml(sample()), ['pdf', 'png'])
    expect(pdf!.subarray(0, 5).toString()).toBe('%PDF-')
    const [, width, height] = /MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]/
      .exec(pdf!.toString('latin1'))!
      .map(Number)
    expect([Math.round(width!), Math.round(height!)]).toEqual([595, 842])
    expect([png!.readUInt32BE(16), png!.subarray(1, 4).toString()]).toEqual([1_200, 'PNG'])
    expect(png!.readUInt32BE(20)).toBeGreaterThan(300)
    expect(png!.readUInt32BE(20)).toBeLessThanOrEqual(1_260)
  })

  test('makes no requests when printed, whatever the page contains', async () => {
    const { url, posts, close } = await hookServer()
    const hostile = `<!doctype html><img src="${url}"><link rel="stylesheet" href="${url}"><iframe src="${url}"></iframe>
      <script>fetch('${url}')</script><img src="file:///etc/hostname"><meta http-equiv="refresh" content="0;url=${url}"><p>text`
    const { png } = await printPage(hostile, ['png'])
    expect(png!.length).toBeGreaterThan(1_000)
    expect(posts).toEqual([])
    await close()
  })
})
