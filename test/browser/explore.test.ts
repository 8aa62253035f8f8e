import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { serve } from '../../src/cli/serve/serve.ts'
import { listening } from '../support/console.ts'
import { ownFolder } from '../support/folder.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { chromiumPath } from './chromium.ts'
import { settleHostile } from './hostile.ts'
import * as inPage from './in-page.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const shots = process.env.FAULTLINE_SCREENSHOTS
/** Widths and color schemes. `npm run test:large` checks all combinations. */
const views = ([390, 768, 1280] as const).flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
)
const seen = inject('isLarge') ? views : [views[1]!, views[4]!]

/** One address per kind of page, including an empty result and an invalid filter. */
const addresses: Record<string, string> = {
  all: '/explore?period=all',
  chosen: '/explore?severity=Critical&severity=Warning&team=platform&band=work&title=search&all=channel',
  person: '/explore?person=1.2&period=all',
  month: '/explore?period=2026-10',
  hostile: '/explore?title=%3Cscript%3E&period=all',
  shift: '/explore?period=shift&by=hour',
  filters: '/explore#facets',
  nothing: '/explore?title=is+nowhere',
  wrong: '/explore?severity=%3Cb%3E',
}

describe.skipIf(chromiumPath === null)('the explorer in a browser', () => {
  const out = ownFolder()
  const stopping = new AbortController()
  let browser: Browser
  let origin: string
  let ended: Promise<number>

  beforeAll(async () => {
    const warehouse = await warehouseFile(settleHostile)
    const context = { ...listening({ warehouse }), signal: stopping.signal }
    ended = serve(context, { from: out, port: '0' })
    browser = await chromium.launch({ executablePath: chromiumPath!, args: ['--no-sandbox'] })
    await vi.waitFor(() => expect(context.results).toHaveLength(1))
    origin = new URL(context.results[0]!).origin
    if (shots) mkdirSync(shots, { recursive: true })
  }, 300_000)
  afterAll(async () => {
    await browser?.close()
    stopping.abort(new Error('stopped'))
    await ended
  })

  describe.each(Object.entries(addresses))('with the filters "%s" (%s)', (name, address) => {
    test.each(seen)(
      'has no accessibility violation (axe) at a width of $width pixels in $colorScheme mode',
      async ({ width, colorScheme }) => {
        const page = await browser.newPage({
          ...{ viewport: { width, height: 900 }, bypassCSP: true, colorScheme },
        })
        await page.goto(origin + address)
        expect(await page.evaluate(inPage.pageWidth), name).toBe(width)
        if (shots)
          await page.screenshot({
            path: join(shots, `explore-${name}-${width}-${colorScheme}.png`),
            fullPage: true,
          })
        await page.evaluate(inPage.unfold)
        await page.evaluate(axe)
        expect(await page.evaluate(inPage.violations, false)).toEqual([])
        expect(await page.evaluate(inPage.pageWidth), name).toBe(width)
        await page.close()
      },
    )

    test('runs no scripts and requests only its own page', async () => {
      const page = await browser.newPage()
      const [requests, said]: [string[], string[]] = [[], []]
      page.on('request', (request) => requests.push(request.url()))
      page.on('console', (message) => said.push(message.text()))
      page.on('dialog', (dialog) => said.push(dialog.message()))
      await page.goto(origin + address)
      expect(requests).toEqual([origin + address.split('#')[0]])
      expect(said.filter((text) => !/status of 400/.test(text))).toEqual([])
      const strict = { scripts: 0, styled: 0, handlers: 0, margin: '0px' }
      expect(await page.evaluate(inPage.contents)).toEqual(strict)
      await page.evaluate(inPage.tryScript)
      expect(await page.title()).not.toBe('ran')
      await page.close()
    })
  })

  describe('lets a reader', () => {
    const figure = (page: Page) => page.locator('.figure').first().textContent()

    test('follow links with mouse or keyboard, and go back', async () => {
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
      await page.goto(`${origin}/explore?period=all`)
      const all = await figure(page)
      await page.locator('.facets a', { hasText: 'Critical' }).click()
      expect(page.url()).toMatch(/severity=Critical/)
      const critical = await figure(page)
      expect(critical).not.toBe(all)
      const value = page.locator('.facets a', { hasText: 'platform' }).first()
      await value.focus()
      await page.keyboard.press('Enter')
      await page.waitForURL(/team=platform/)
      await page.getByLabel('Title contains').fill('pool')
      await page.keyboard.press('Enter')
      await page.waitForURL(/title=pool/)
      expect(page.url()).toMatch(/severity=Critical&team=platform/)
      await page.getByRole('link', { name: 'Remove filter: Title: pool' }).click()
      await page.goBack()
      await page.goBack()
      await page.goBack()
      expect(await figure(page)).toBe(critical)
      await page.close()
    })

    test('reach every link, field and scrolling part with the keyboard', async () => {
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
      await page.goto(`${origin}/explore?title=search`)
      // The form adds a field and its button.
      const wanted = (await page.evaluate(inPage.keyboardStops)) + 2
      let reached = 0
      let invisible = ''
      for (let step = 0; step < wanted; step++) {
        await page.keyboard.press('Tab')
        const { isNew, outline, text } = await page.evaluate(inPage.focused)
        if (isNew) reached++
        if (outline < 2) invisible = text || 'a field'
      }
      expect([reached, invisible]).toEqual([wanted, ''])
      await page.close()
    })

    test('select the week of a chart column with a click', async () => {
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
      await page.goto(`${origin}/explore`)
      await page.locator('svg.wide a.hit rect').nth(3).click()
      expect(page.url()).toMatch(/period=2026-08-17\.\.2026-08-24/)
      await page.close()
    })
  })
})
