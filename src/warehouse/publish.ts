import { constants, copyFileSync, existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { WarehouseError } from '../errors.ts'
import type { WarehouseFiles } from './files.ts'

/**
 * Replaces the published copy by the working file, which must be closed and checkpointed. Readers keep the copy
 * they opened; the next one to open gets the new one, never half of it.
 * @throws WarehouseError when the copy cannot be written; the one published before stays
 */
export async function publish(files: WarehouseFiles): Promise<void> {
  try {
    copyFileSync(files.working, files.next, constants.COPYFILE_FICLONE)
    const copy = await open(files.next, 'r+')
    await copy.chmod(0o600)
    await copy.sync()
    await copy.close()
    await rename(files.next, files.published)
  } catch (cause) {
    await rm(files.next, { force: true })
    throw new WarehouseError(`The published copy ${files.published} could not be replaced.`, {
      cause,
      next: 'The former copy is untouched. Free disk space or mend the permissions, then sync again.',
    })
  }
}

/** Starts from the published copy when the working file is gone, so that nothing is read from the service again. */
export function restoreWorkingFile(files: WarehouseFiles): void {
  if (!existsSync(files.working) && existsSync(files.published)) {
    copyFileSync(files.published, files.working, constants.COPYFILE_FICLONE)
  }
}
