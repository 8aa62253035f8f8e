import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { run } from '../support/cli.ts'
import { ownFolder } from '../support/folder.ts'
import { chromiumPath } from './chromium.ts'

/**
 * The pictures in README show the demo company on one Sunday. `npm run pictures` makes them and records the hashes
 * of their pages. This test compares the hashes with the current pages.
 */
const NOW = Date.UTC(2026, 10, 22, 12) / 1_000
const INCIDENTS = 6_000
const pages = ['reliability-review', 'executive-summary', 'on-call-handover']
/** Maximum number of A4 sheets, charts and table columns of each page, without folded sections. */
const budgets: Readonly<Record<string, readonly [number, number, number]>> = {
  'reliability-review': [4, 6, 10],
  'executive-summary': [1, 2, 9],
  'on-call-handover': [2, 0, 12],
  'team-overview': [2, 0, 6],
  'mtta-mttr': [2, 4, 10],
  'severity-trend': [2, 4, 7],
}
/** The first picture extends to the end of the first drawing. */
const heightOf = (name: string) => (name === pages[0] ? 1_330 : 780)
const pictures = fileURLToPath(new URL('../../.github/pictures/', import.meta.url))
const isMaking = process.env.FAULTLINE_PICTURES !== undefined

describe('the report pages of the demo', () => {
  const folder = ownFolder()
  const file = (name: string) => join(folder, `${name}.html`)

  beforeAll(async () => {
    const sandbox = await startSandbox({ incidents: INCIDENTS, world: 'meridian', now: NOW, limits: false })
    writeFileSync(
      join(folder, 'config.json'),
      JSON.stringify({ baseUrl: sandbox.baseUrl, warehouse: './demo.duckdb' }),
    )
    for (const args of [
      ['sync', '--since', '2026-05-10'],
      ...Object.keys(budgets).map((name) => ['report', name, '--to', folder]),
    ]) {
      const { code, err } = await run(args, { FAULTLINE_APP_KEY: sandbox.appKey }, folder)
      expect(code, err).toBe(0)
    }
    await sandbox.close()
  }, 300_000)

  test('match the pictures in README (if not, run `npm run pictures`)', async () => {
    const hashes = pages.map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(file(name)))
          .digest('hex')}  ${name}.html\n`,
    )
    await expect(hashes.join('')).toMatchFileSnapshot(join(pictures, 'pages.sha256'))
  })

  test.skipIf(chromiumPath === null)(
    'stay within their limits for printed pages, charts and table columns',
    async () => {
      const browser = await chromium.launch({ executablePath: chromiumPath!, args: ['--no-sandbox'] })
      const page = await browser.newPage({ viewport: { width: 1_280, height: 800 } })
      for (const [name, [sheets, charts, columns]] of Object.entries(budgets)) {
        await page.goto(pathToFileURL(file(name)).href)
        expect(await page.locator('figure.chart:visible').count(), name).toBeLessThanOrEqual(charts)
        const heads = page.locator('table:not(.data):visible thead th')
        const onScreen = await heads.count()
        expect(onScreen, name).toBeLessThanOrEqual(columns)
        // The width of an A4 sheet between its margins.
        await page.setViewportSize({ width: 688, height: 1_000 })
        await page.emulateMedia({ media: 'print' })
        expect(await heads.count(), `${name} in print`).toBe(onScreen)
        await page.emulateMedia({ media: null })
        await page.setViewportSize({ width: 1_280, height: 800 })
        const pdf = await page.pdf({ preferCSSPageSize: true, printBackground: true })
        expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g)!.length, name).toBeLessThanOrEqual(
          sheets,
        )
      }
      await browser.close()
    },
  )

  test.runIf(isMaking && chromiumPath !== null)('are saved as pictures for README', async () => {
    const browser = await chromium.launch({ executablePath: chromiumPath!, args: ['--no-sandbox'] })
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await browser.newPage({ colorScheme })
      for (const name of pages) {
        await page.setViewportSize({ width: 1_040, height: heightOf(name) })
        await page.goto(pathToFileURL(file(name)).href)
        await page.screenshot({ path: join(pictures, `${name}-${colorScheme}.png`), animations: 'disabled' })
      }
    }
    await browser.close()
  })
})
