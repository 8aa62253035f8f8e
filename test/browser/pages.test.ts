import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeReport } from '../../src/page/write-report-files.ts'
import type { ReportResult } from '../../src/render/result.ts'
import { ownFolder } from '../support/folder.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { chromiumPath } from './chromium.ts'
import { hostileTitles, settleHostile } from './hostile.ts'
import * as inPage from './in-page.ts'
import { reportNames, writePages } from './worlds.ts'

const ofTeam = ['reliability-review', 'mtta-mttr']
const pages = [...reportNames, ...ofTeam.map((name) => `team/${name}`)]
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Optional folder for screenshots and printed pages. */
const shots = process.env.FAULTLINE_SCREENSHOTS
const desk = { width: 1100, height: 900 }
const tablet = { width: 768, height: 1024 }
const phone = { width: 390, height: 844 }

describe.skipIf(chromiumPath === null)('in a browser', () => {
  const folder = ownFolder()
  const address = (name: string) => pathToFileURL(join(folder, `${name}.html`)).href
  let browser: Browser
  let review: ReportResult

  beforeAll(async () => {
    const [path, launched] = await Promise.all([
      warehouseFile(settleHostile),
      chromium.launch({ executablePath: chromiumPath!, args: ['--no-sandbox'] }),
    ])
    browser = launched
    const { results } = await writePages(path, folder, ofTeam)
    review = results.find(({ name }) => name === 'reliability-review')!
    // An empty page would pass all tests below.
    expect(results.filter(({ empty }) => empty)).toEqual([])
    if (shots) mkdirSync(shots, { recursive: true })
  }, 300_000)

  afterAll(async () => {
    await browser?.close()
  })

  describe.each(pages)('the report page %s', (name) => {
    let page: Page
    const requests: string[] = []
    const said: string[] = []

    beforeAll(async () => {
      page = await browser.newPage({ viewport: desk, reducedMotion: 'no-preference' })
      page.on('request', (request) => requests.push(request.url()))
      page.on('console', (message) => said.push(message.text()))
      page.on('pageerror', (error) => said.push(error.message))
      page.on('dialog', (dialog) => said.push(dialog.message()))
      await page.goto(address(name))
    })
    afterAll(() => page.close())

    const picture = async (of: Page, kind: string) =>
      shots &&
      (await of.screenshot({ path: join(shots, `${name.replace('/', '-')}-${kind}.png`), fullPage: true }))

    test('requests no other resource and blocks scripts', async () => {
      expect(requests).toEqual([address(name)])
      expect(await page.evaluate(inPage.deadAnchors)).toEqual([])
      expect(await page.evaluate(inPage.longFolds)).toEqual([])
      expect(said).toEqual([])
      // Without the style sheet the body has a margin.
      const strict = { scripts: 0, styled: 0, handlers: 0, margin: '0px' }
      expect(await page.evaluate(inPage.contents)).toEqual(strict)
      await page.evaluate(inPage.tryScript)
      expect(await page.title()).not.toBe('ran')
      expect(said.join()).toMatch(/Content Security Policy/)
    })

    test('shows a visible focus outline on every link and scrolling part that the keyboard reaches', async () => {
      const wanted = await page.evaluate(inPage.keyboardStops)
      let reached = 0
      let invisible = ''
      for (let step = 0; step < wanted; step++) {
        await page.keyboard.press('Tab')
        const { isNew, outline, text } = await page.evaluate(inPage.focused)
        if (isNew) reached++
        if (outline < 2) invisible = text
      }
      expect(wanted).toBeGreaterThan(0)
      expect([reached, invisible]).toEqual([wanted, ''])
      await page.locator('summary:visible').first().focus()
      await page.keyboard.press('Enter')
      expect(await page.locator('details:visible').first().getAttribute('open')).toBe('')
    })

    test('conveys nothing by color alone', async () => {
      expect(await page.evaluate(inPage.moving)).toBe(0)
      expect(await page.evaluate(inPage.lostInGrey)).toEqual([])
    })

    test.each([
      ['a desktop', desk],
      ['a phone', phone],
    ])('fits the screen of %s without horizontal scrolling', async (kind, viewport) => {
      await page.setViewportSize(viewport)
      expect(await page.evaluate(inPage.textOutside, 'labels')).toEqual([])
      expect(await page.evaluate(inPage.textOnText)).toEqual([])
      if (viewport === phone) await picture(page, 'phone')
      expect(await page.evaluate(inPage.pageWidth)).toBe(viewport.width)
      await page.evaluate(inPage.unfold)
      expect(await page.evaluate(inPage.pageWidth)).toBe(viewport.width)
      if (shots) await picture(page, `${kind.slice(2)}-unfolded`)
      await page.setViewportSize(desk)
    })

    test('prints on A4 without page breaks inside charts, cards or rows', async () => {
      const pdf = await page.pdf({ preferCSSPageSize: true, printBackground: true })
      if (shots) writeFileSync(join(shots, `${name.replace('/', '-')}.pdf`), pdf)
      const sizes = [...pdf.toString('latin1').matchAll(/\/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]/g)]
      expect(sizes.length).toBeGreaterThan(0)
      for (const [, width, height] of sizes) {
        expect([Math.round(Number(width)), Math.round(Number(height))]).toEqual([595, 842])
      }
      await page.setViewportSize({ width: Math.round((182 / 25.4) * 96), height: 1000 })
      await page.emulateMedia({ media: 'print' })
      expect(await page.evaluate(inPage.tooTallToPrint)).toEqual([])
      expect(await page.evaluate(inPage.textOnHeads)).toEqual([])
      expect(await page.evaluate(inPage.textOutside, 'labels')).toEqual([])
      await picture(page, 'print')
      await page.emulateMedia({ media: null })
      await page.setViewportSize(desk)
    })

    test('has no serious accessibility violation (axe) in light or dark mode', async () => {
      // `bypassCSP` lets axe run in the page. The file itself stays unchanged.
      const context = await browser.newContext({ viewport: desk, bypassCSP: true })
      const judged = await context.newPage()
      await judged.goto(address(name))
      await judged.evaluate(axe)
      for (const colorScheme of ['light', 'dark'] as const) {
        await judged.emulateMedia({ colorScheme })
        await picture(judged, colorScheme)
      }
      await judged.evaluate(inPage.unfold)
      for (const colorScheme of ['light', 'dark'] as const) {
        await judged.emulateMedia({ colorScheme })
        expect([colorScheme, ...(await judged.evaluate(inPage.violations, true))]).toEqual([colorScheme])
      }
      await context.close()
    })
  })

  test('hostile incident titles appear as plain text', async () => {
    const page = await browser.newPage()
    await page.goto(address('on-call-handover'))
    const text = await page.evaluate(inPage.visibleText)
    for (const { shown } of hostileTitles) expect(text).toContain(shown)
    expect(text).not.toMatch(/[\u0000-\u0008\u001b\u202a-\u202e\u2066-\u2069]/)
    await page.close()
  })

  test('a chart column links to the list of its incidents without scripts', async () => {
    const folderWithFiles = join(folder, 'files')
    writeReport(review, folderWithFiles, ['html', 'csv'])
    const context = await browser.newContext({ viewport: desk, javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(pathToFileURL(join(folderWithFiles, 'reliability-review.html')).href)
    const column = page.locator('#counts svg a.hit:has(.main)').first()
    const said = Number(await column.locator('.main').textContent())
    await column.locator('rect').first().click()
    expect(await page.locator('h1').textContent()).toContain(`: ${said}`)
    expect(await page.locator('tbody td:first-child').count()).toBe(said)
    for (const viewport of [desk, tablet, phone]) {
      await page.setViewportSize(viewport)
      expect(await page.evaluate(inPage.pageWidth)).toBe(viewport.width)
    }
    await page.locator('a').first().click()
    expect(await page.locator('h1').textContent()).toBe('Reliability review')
    const files = await page
      .locator('a[href$=".csv"], a[href$=".sql"]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')!))
    expect(files.length).toBeGreaterThan(8)
    for (const file of files) expect(existsSync(join(folderWithFiles, file)), file).toBe(true)
    await context.close()
  })

  test('a chart shows the figures under the mouse pointer', async () => {
    const page = await browser.newPage({ viewport: desk })
    await page.goto(address('reliability-review'))
    const hit = page.locator('#counts svg .hit').first()
    expect(await page.locator('#counts svg .hit').count()).toBeGreaterThan(20)
    const seen = () => page.evaluate(inPage.readoutsSeen)
    expect(await seen()).toEqual([])
    await hit.locator('rect').first().hover()
    const shown = [await hit.locator('text').textContent()]
    expect(await seen()).toEqual(shown)
    await page.mouse.move(0, 0)
    expect(await seen()).toEqual([])
    await hit.focus()
    expect(await seen()).toEqual(shown)
    await page.close()
  })
})
