import { findChromium } from '../../src/config/chromium.ts'

/** Path of the browser that opens the pages, from `CHROMIUM` or the PATH. Null if not found. */
export const chromiumPath: string | null = findChromium()

if (chromiumPath === null) {
  console.warn('Skipped: no Chromium on the path or in CHROMIUM, so no page is opened in a browser.')
}
