import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'

/**
 * How the program is called again from here, in what it says of next steps. `npx faultline` only where npm finds it without asking a
 * registry, in a checkout or where it is installed below: elsewhere npx runs whatever has that name there, with the keys of the environment.
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

/** Whether npm finds the program in this folder or in one above it. */
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
