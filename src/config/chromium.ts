import { programOnPath } from './find-executable.ts'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'msedge']

/** Path of a Chromium: the variable `CHROMIUM`, else the first of the well-known names on the path; null without one. */
export function findChromium(environment: NodeJS.ProcessEnv = process.env): string | null {
  return environment.CHROMIUM || programOnPath(NAMES, environment)
}
