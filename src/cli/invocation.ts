import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'

/**
 * Returns the command that starts this program, for hints. Without a local installation, npx could run a foreign
 * package, which could read the keys in the environment.
 */
export function ownCommand(program = process.argv[1] ?? '', folder = process.cwd()): string {
  if (isLocal(folder)) return 'npx faultline'
  const name = basename(program).replace(/\.(cmd|ps1)$/, '')
  if (name === 'faultline' && !/[\\/]node_modules[\\/]/.test(program)) return 'faultline'
  const path = relative(folder, program)
  const shown = path.startsWith('..') ? program : path
  return `node ${/\s/.test(shown) ? `"${shown}"` : shown}`
}

function isLocal(folder: string): boolean {
  if (existsSync(join(folder, 'node_modules', '.bin', 'faultline'))) return true
  if (nameIn(join(folder, 'package.json')) === 'faultline') return true
  const above = dirname(folder)
  return above !== folder && isLocal(above)
}

function nameIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).name
  } catch {
    return undefined
  }
}
