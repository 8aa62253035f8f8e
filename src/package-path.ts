import { existsSync } from 'node:fs'

/**
 * A file or folder of the installed package, such as `sql/` or `package.json`. This code lies in `src/`, in `dist/` or in a bundle in
 * `dist/bin/`: the package is the nearest folder above it that has a package.json.
 *
 * @param path below the package, a folder with a `/` at its end
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
