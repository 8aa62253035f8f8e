import { chmodSync, statSync } from 'node:fs'

/** For its owner to read and to write, and for nobody else. */
export const PRIVATE = 0o600

/** What a new file may not give: anything to anybody but its owner. */
const MASK = 0o077

let holders = 0
let before = 0

/**
 * From here until the function it returns is called, what this process makes is its owner's alone. DuckDB makes files of
 * its own whenever it likes (the log, what does not fit into memory), by the process's mask: setting their mode
 * afterwards would leave moments in which others could open them.
 */
export function keepPrivate(): () => void {
  if (holders++ === 0) before = process.umask(MASK)
  let isHeld = true
  return () => {
    if (!isHeld) return
    isHeld = false
    if (--holders === 0) process.umask(before)
  }
}

/** Takes a file that is there away from everybody but its owner; another user's stays as it is (`faultline check` tells). */
export function makePrivate(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat && (stat.mode & MASK) !== 0 && stat.uid === process.getuid?.()) chmodSync(path, PRIVATE)
}
