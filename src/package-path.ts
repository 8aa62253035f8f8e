import { existsSync } from 'node:fs'

/**
 * Returns the URL of a file or folder of the installed package. The code runs from `src/`, `dist/` or `dist/bin/`, so the
 * package is the nearest parent folder with a package.json.
 * @param path relative to the package, with a trailing `/` for a folder
 */
export function inPackage(path: string): URL {
  return new URL(path, packageFolder)
}

const packageFolder = nearest(new URL('.', import.meta.url))

function nearest(folder: URL): URL {
  if (existsSync(new URL('package.json', folder))) return folder
  const above = new URL('..', folder)
  return above.href === folder.href ? folder : nearest(above)
}
