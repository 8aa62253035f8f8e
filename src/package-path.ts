import { existsSync } from 'node:fs'

/**
 * Returns the URL of a file in the installed package, which is the nearest parent folder with a package.json. The path
 * of a folder needs a trailing `/`.
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
