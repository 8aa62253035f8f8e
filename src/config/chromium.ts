import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'msedge']

/** Path of a Chromium: `CHROMIUM` if set, otherwise the first well-known name on the PATH. Null if not found. */
export function findChromium(environment: NodeJS.ProcessEnv = process.env): string | null {
  return environment.CHROMIUM || programOnPath(NAMES, environment)
}

function programOnPath(names: readonly string[], environment: NodeJS.ProcessEnv): string | null {
  const ends = process.platform === 'win32' ? ['.exe'] : ['']
  const folders = (environment.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const paths = names.flatMap((name) =>
    folders.flatMap((folder) => ends.map((end) => join(folder, name + end))),
  )
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
