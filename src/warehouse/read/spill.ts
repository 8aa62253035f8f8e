import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from '../../effects.ts'

/**
 * Prefix of temporary folders. It contains the host name, because containers with equal process ids can share `/tmp`.
 */
const START = `faultline-spill-${hostname().replace(/[^\w.]/g, '_')}-`
/** Folders of this process. An earlier process can have had the same id, so the id in a name is not sufficient. */
const own = new Set<string>()
let isSwept = false

/** Creates a private folder until the process ends. Without a writable temporary folder, the path is undefined. */
export function spillFolder() {
  if (!isSwept) sweep()
  isSwept = true
  let path: string
  try {
    path = mkdtempSync(join(tmpdir(), `${START}${process.pid}-`))
  } catch {
    return { path: undefined, remove() {} }
  }
  own.add(path)
  const remove = () => {
    process.off('exit', remove)
    own.delete(path)
    rmSync(path, { recursive: true, force: true })
  }
  process.on('exit', remove)
  return { path, remove }
}

export function removeSpillOf(pid: number | undefined): void {
  if (pid === undefined) return
  for (const name of readdirSync(tmpdir()))
    if (name.startsWith(`${START}${pid}-`)) rmSync(join(tmpdir(), name), { recursive: true, force: true })
}

/** Removes the folders that killed processes of this user left behind. */
function sweep(): void {
  try {
    for (const name of readdirSync(tmpdir())) {
      const pid = name.startsWith(START) ? /^(\d+)-\w{6}$/.exec(name.slice(START.length))?.[1] : undefined
      const path = join(tmpdir(), name)
      if (pid === undefined || own.has(path) || (Number(pid) !== process.pid && isAlive(Number(pid))))
        continue
      if (statSync(path).uid === (process.getuid?.() ?? 0)) rmSync(path, { recursive: true, force: true })
    }
  } catch {
    // Another process may have removed a folder at the same time.
  }
}
