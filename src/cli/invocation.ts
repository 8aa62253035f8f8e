import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'

/**
 * Returns the command line that starts this program, for hints. Uses `npx faultline` only if the package is installed
 * in this folder or above. Otherwise npx would run a package of that name from the registry, with access to the keys in
 * the environment.
 */
export function ownCommand(program = process.argv[1] ?? '', folder = process.cwd()): string {
  if (isLocal(folder)) return 'npx faultline'
  if (
    basename(program).replace(/\.(cmd|ps1)$/, '') === 'faultline' &&
    !/[\\/]node_modules[\\/]/.test(program)
  )
    return 'faultline'
  const path = relative(folder, program)
  const shown = path.startsWith('..') ? program : path
  return `node ${/\s/.test(shown) ? `"${shown}"` : shown}`
}

function isLocal(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, 'node_modules', '.bin', 'faultline'))) return true
    if (nameIn(join(at, 'package.json')) === 'faultline') return true
    if (dirname(at) === at) return false
  }
}

function nameIn(file: string): unknown {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { name?: unknown }).name
  } catch {
    return undefined
  }
}
