import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { ConfigError } from '../../errors.ts'

/** A file to create. */
interface NewFile {
  readonly path: string
  readonly text: string
  /** Its permissions, regardless of the umask. */
  readonly mode: number
  /** Replace an existing file, which is an error otherwise. */
  readonly force: boolean
}

/**
 * Creates a file; an existing one is replaced atomically.
 * @throws ConfigError when it exists, or cannot be written
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
    throw new ConfigError(isThere ? `${target} already exists.` : `${path} cannot be written.`, {
      cause,
      next: isThere
        ? 'Add --force to replace it, or name another file.'
        : 'Check the folder, its permissions and the space left on the disk.',
    })
  }
}
