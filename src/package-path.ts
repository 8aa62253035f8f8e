import { existsSync } from 'node:fs'

/** Returns the URL of a file or folder in the installed package. The path of a folder must end with `/`. */
export function inPackage(path: string): URL {
  return new URL(path, packageFolder)
}

const packageFolder = nearest(new URL('.', import.meta.url))

/** Returns this folder if it contains a package.json, otherwise its nearest parent folder that does. */
function nearest(folder: URL): URL {
  if (existsSync(new URL('package.json', folder))) return folder
  const above = new URL('..', folder)
  return above.href === folder.href ? folder : nearest(above)
}
