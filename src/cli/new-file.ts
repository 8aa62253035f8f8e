import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { ConfigError } from '../errors.ts'

/** How a file is to be made. */
export interface NewFile {
  readonly path: string
  readonly text: string
  /** Its permissions, whatever the process's mask is. */
  readonly mode: number
  /** Replace a file that is there; without it that is an error. */
  readonly force: boolean
}

/**
 * Makes a file: whole under its name, or not at all.
 * @throws ConfigError when there is one already, or the place cannot be written
 */
export function writeNewFile({ path, text, mode, force }: NewFile): void {
  const target = force ? `${path}.${process.pid}.part` : path
  try {
    const file = openSync(target, 'wx', mode)
    try {
      fchmodSync(file, mode)
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    if (force) renameSync(target, path)
  } catch (cause) {
    const isThere = (cause as NodeJS.ErrnoException).code === 'EEXIST'
    if (!isThere) rmSync(target, { force: true })
    throw new ConfigError(isThere ? `${target} is there already.` : `${path} cannot be written.`, {
      cause,
      next: isThere
        ? 'Add --force to replace it, or name another file.'
        : 'Check the folder, its permissions and the space left on the disk.',
    })
  }
}
