import { statSync } from 'node:fs'
import { type Finding, ok, warn } from './finding.ts'

const OTHERS = 0o077

/** Whether files that hold data or secrets are their owner's alone. Files that are not there are left out. */
export function checkModes(paths: readonly string[]): Finding {
  if (process.platform === 'win32') return ok('files', 'this platform has no file modes to check')
  const there = [...new Set(paths)].flatMap((path) => {
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat ? [{ path, mode: stat.mode }] : []
  })
  const open = there.filter(({ mode }) => (mode & OTHERS) !== 0).map(({ path }) => path)
  if (open.length === 0) {
    return ok('files', there.length === 0 ? 'there are none yet' : 'only their owner can read them')
  }
  return warn('files', `others can read ${open.join(', ')}`, `chmod 600 ${open.map(shellWord).join(' ')}`)
}

function shellWord(path: string): string {
  return /^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
