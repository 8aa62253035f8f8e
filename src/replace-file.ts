import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Writes a file so that it appears whole under its name or not at all: the last good one stays when something fails.
 * Its folder is made when it is missing. Returns the path; throws what the file system says.
 */
export function replaceFile(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true })
  const temporary = `${path}.${process.pid}.part`
  try {
    writeFileSync(temporary, text, { flush: true })
    renameSync(temporary, path)
  } catch (cause) {
    rmSync(temporary, { force: true })
    throw cause
  }
  return path
}
