import { appendFileSync, closeSync, constants, existsSync, openSync, readFileSync } from 'node:fs'

/** Appends a line to a file that is only for its owner, in one write; a line that was torn when a process died stays alone. */
export function appendLine(file: string, line: string): void {
  const text = `${endsTorn(file) ? '\n' : ''}${line}\n`
  // A link that was planted there is not followed; Windows has no such flag.
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)
  const descriptor = openSync(file, flags, 0o600)
  try {
    appendFileSync(descriptor, text)
  } finally {
    closeSync(descriptor)
  }
}

function endsTorn(file: string): boolean {
  return existsSync(file) && !/(^|\n)$/.test(readFileSync(file, 'utf8'))
}
