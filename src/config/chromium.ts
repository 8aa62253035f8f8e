import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'msedge']

/** Returns the path of Chromium: `CHROMIUM` if set, otherwise the first of `NAMES` on the PATH. Null if not found. */
export function findChromium(environment: NodeJS.ProcessEnv = process.env): string | null {
  if (environment.CHROMIUM) return environment.CHROMIUM
  const end = process.platform === 'win32' ? '.exe' : ''
  const folders = (environment.PATH ?? '').split(delimiter).filter(Boolean)
  const paths = NAMES.flatMap((name) => folders.map((folder) => join(folder, name + end)))
  return paths.find(isProgram) ?? null
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
