import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { ownFolder } from '../support/folder.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { chromiumPath } from './chromium.ts'
import * as inPage from './in-page.ts'
import { reportNames, worlds, writePages } from './worlds.ts'

/** Reports of which the tests open the page of a team, too. */
const ofTeam = ['reliability-review', 'mtta-mttr', 'on-call-handover']
const shots = process.env.FAULTLINE_SCREENSHOTS
/** The scenarios that differ most. A release tests all scenarios. */
const some = ['forty', 'sixty teams', 'all open', 'hostile', 'a storm', 'teams by the hundred']
const looked = Object.entries(worlds).filter(([name]) => inject('isRelease') || some.includes(name))

const most: Record<string, number> = {
  'executive-summary': 1,
  'on-call-handover': 3,
  'reliability-review': 5,
}

/** Maximum number of A4 sheets. The table of several hundred teams needs one more. */
const sheetsOf = (world: string, name: string) =>
  world === 'teams by the hundred' && name === 'team-overview' ? 5 : (most[basename(name)] ?? 4)

const widths = [
  ['a desk', { width: 1280, height: 900 }],
  ['a phone', { width: 390, height: 844 }],
] as const

async function illegible(page: Page): Promise<string[]> {
  const found = [
    ...(await page.evaluate(inPage.textOutside, 'labels')).map((one) => `outside of its drawing: ${one}`),
    ...(await page.evaluate(inPage.textOutside, 'readouts')).map((one) => `readout outside: ${one}`),
    ...(await page.evaluate(inPage.textOnText)).map((one) => `on each other: ${one}`),
    ...(await page.evaluate(inPage.cutCells)).map((one) => `cut in a table: ${one}`),
  ]
  const [is, may] = [await page.evaluate(inPage.pageWidth), page.viewportSize()!.width]
  return is > may ? [...found, `scrolls sideways by ${is - may}`] : found
}

let browser: Browser | undefined
beforeAll(async () => {
  if (chromiumPath === null) return
  browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] })
})
afterAll(() => browser?.close())

describe.skipIf(chromiumPath === null).each(looked)(
  'the report pages of the scenario "%s"',
  (world, settle) => {
    const folder = ownFolder()
    let hasTeam = false
    beforeAll(async () => {
      hasTeam = (await writePages(await warehouseFile(settle), folder, ofTeam)).hasTeam
      if (shots) mkdirSync(join(shots, world), { recursive: true })
    }, 300_000)

    test.each([...reportNames, ...ofTeam.map((name) => `team/${name}`)])(
      'show %s without cut or overlapping text',
      async (name) => {
        if (name.startsWith('team/') && !hasTeam) return
        const page = await browser!.newPage()
        await page.goto(pathToFileURL(join(folder, `${name}.html`)).href)
        const found: string[] = []
        for (const [kind, viewport] of widths) {
          await page.setViewportSize(viewport)
          if (shots)
            await page.screenshot({
              path: join(shots, world, `${name.replace('/', '-')}-${viewport.width}.png`),
              fullPage: true,
            })
          found.push(...(await illegible(page)).map((one) => `on ${kind}: ${one}`))
          // On narrower screens a table of long words may scroll sideways.
          const wide = kind === 'a desk' ? await page.evaluate(inPage.wideTables) : []
          found.push(...wide.map((one) => `wider than the page: ${one}`))
        }
        await page.setViewportSize({ width: Math.round((182 / 25.4) * 96), height: 1000 })
        await page.emulateMedia({ media: 'print' })
        found.push(...(await illegible(page)).map((one) => `printed: ${one}`))
        const pdf = await page.pdf({ preferCSSPageSize: true, printBackground: true })
        const sheets = pdf.toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g)!.length
        if (sheets > sheetsOf(world, name)) found.push(`printed on ${sheets} pages`)
        await page.setViewportSize(widths[0][1])
        await page.emulateMedia({ media: null, colorScheme: 'dark' })
        const inTheDark = [...(await illegible(page)), ...(await page.evaluate(inPage.faintText))]
        found.push(...inTheDark.map((one) => `in the dark: ${one}`))
        await page.close()
        expect(found).toEqual([])
      },
    )
  },
)
