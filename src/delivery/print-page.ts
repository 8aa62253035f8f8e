import type { Browser, Page } from 'playwright-core'
import { findChromium } from '../config/chromium.ts'
import { DeliveryError } from '../errors.ts'

/** Formats that Chromium creates: an A4 document, or a picture of the top of a page. */
export const PRINT_FORMATS = ['pdf', 'png'] as const
export type PrintFormat = (typeof PRINT_FORMATS)[number]

/** Size of the picture in CSS pixels. `scale` makes its text as large as the text of a mail. */
const PICTURE = { width: 1_000, height: 525, scale: 1.2 }
const TIMEOUT_MS = 60_000

/** Prints a page with Chromium, without running scripts. @throws DeliveryError if Chromium is missing or fails */
export async function printPage(
  html: string,
  formats: readonly PrintFormat[],
): Promise<Partial<Record<PrintFormat, Buffer>>> {
  const browser = await launch()
  try {
    const page = await pageOf(browser, html)
    return {
      ...(formats.includes('png') && { png: await pictureOf(page) }),
      ...(formats.includes('pdf') && {
        pdf: await page.pdf({ preferCSSPageSize: true, printBackground: true, tagged: true, outline: true }),
      }),
    }
  } finally {
    await browser.close()
  }
}

async function launch(): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath === null) {
    throw unprintable('Chromium was not found', 'Install Chromium, or set the variable CHROMIUM to its path.')
  }
  const { chromium } = await import('playwright-core').catch((cause: unknown) => {
    const next = 'Install it: npm install playwright-core'
    throw unprintable('the package playwright-core is missing', next, cause)
  })
  // Chromium's sandbox does not work for the user root, which containers often use.
  const isRoot = process.getuid?.() === 0
  return chromium
    .launch({ executablePath, chromiumSandbox: !isRoot, timeout: TIMEOUT_MS })
    .catch((cause: unknown) => {
      const reason = String(cause instanceof Error ? cause.message : cause).split('\n', 1)[0]!
      const next = 'Set the variable CHROMIUM to the path of another browser.'
      throw unprintable(`${executablePath} does not start: ${reason}`, next, cause)
    })
}

async function pageOf(browser: Browser, html: string): Promise<Page> {
  const context = await browser.newContext({
    javaScriptEnabled: false,
    viewport: { width: PICTURE.width, height: PICTURE.height },
    deviceScaleFactor: PICTURE.scale,
    colorScheme: 'light',
  })
  const address = 'http://report.invalid/'
  await context.route('**', (route) =>
    route.request().url() === address
      ? route.fulfill({ contentType: 'text/html; charset=utf-8', body: html })
      : route.abort(),
  )
  const page = await context.newPage()
  page.setDefaultTimeout(TIMEOUT_MS)
  await page.goto(address)
  return page
}

/** Takes a picture of the page from the top to the end of its figure cards, or of `PICTURE` size if it has no cards. */
async function pictureOf(page: Page): Promise<Buffer> {
  const cards = await page
    .locator('.kpis')
    .first()
    .boundingBox({ timeout: 1_000 })
    .catch(() => null)
  const height = cards === null ? PICTURE.height : Math.min(cards.y + cards.height + 12, 2 * PICTURE.height)
  const clip = { x: 0, y: 0, width: PICTURE.width, height }
  return page.screenshot({ clip, fullPage: true, animations: 'disabled' })
}

function unprintable(reason: string, next: string, cause?: unknown): DeliveryError {
  return new DeliveryError(`PDF files and pictures cannot be created: ${reason}.`, {
    isTransient: false,
    next,
    cause,
  })
}
