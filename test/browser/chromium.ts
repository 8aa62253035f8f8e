import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Path of the Chromium that opens the pages: `CHROMIUM`, or one on the path; null when there is none. */
export const chromiumPath: string | null =
  [
    process.env.CHROMIUM ?? '',
    ...['chromium', 'chromium-browser', 'google-chrome'].flatMap((name) =>
      (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name)),
    ),
  ].find((path) => path !== '' && existsSync(path)) ?? null

if (chromiumPath === null) {
  console.warn('Skipped: no Chromium on the path or in CHROMIUM, so no page is opened in a browser.')
}
