import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Path of the first of these programs that is on the path of an environment; null where there is none. */
export function programOnPath(names: readonly string[], environment: NodeJS.ProcessEnv): string | null {
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
