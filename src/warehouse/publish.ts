import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { WarehouseError } from '../errors.ts'
import type { WarehouseFiles } from './files.ts'

/**
 * Replaces the published copy by the working file, which must be closed and checkpointed. Readers keep the copy
 * they opened; the next one to open gets the new one, never half of it.
 * @param change changes the copy before anybody sees it
 * @throws WarehouseError when the copy cannot be written; the one published before stays
 */
export async function publish(
  files: WarehouseFiles,
  change: ((path: string) => Promise<void>) | undefined,
): Promise<void> {
  try {
    copyWhole(files.working, files.next)
    if (change) await changed(files.next, change)
    renameSync(files.next, files.published)
  } catch (cause) {
    throw new WarehouseError(`The published copy ${files.published} could not be replaced.`, {
      cause,
      next: 'The former copy is untouched. Free disk space or mend the permissions, then sync again.',
    })
  }
}

/** Starts from the published copy when the working file is gone, so that nothing is read from the service again. */
export function restoreWorkingFile(files: WarehouseFiles): void {
  if (existsSync(files.working) || !existsSync(files.published)) return
  // The log belonged to the file that is gone.
  rmSync(files.log, { force: true })
  copyWhole(files.published, files.next)
  renameSync(files.next, files.working)
}

/** Copies a file until it is safely on the disk, for its owner only; leaves nothing when it fails. */
function copyWhole(from: string, to: string): void {
  try {
    copyFileSync(from, to, constants.COPYFILE_FICLONE)
    chmodSync(to, 0o600)
    syncFile(to)
  } catch (error) {
    rmSync(to, { force: true })
    throw error
  }
}

async function changed(path: string, change: (path: string) => Promise<void>): Promise<void> {
  const log = `${path}.wal`
  // Left by a process that was killed here: it would be applied to the new copy.
  rmSync(log, { force: true })
  try {
    await change(path)
    syncFile(path)
  } catch (error) {
    for (const file of [path, log]) rmSync(file, { force: true })
    throw error
  }
}

function syncFile(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
