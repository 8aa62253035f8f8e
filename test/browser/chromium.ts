import { findChromium } from '../../src/config/chromium.ts'

/** Path of the Chromium that opens the pages: `CHROMIUM`, or one on the path; null when there is none. */
export const chromiumPath: string | null = findChromium()

if (chromiumPath === null) {
  console.warn('Skipped: no Chromium on the path or in CHROMIUM, so no page is opened in a browser.')
}
