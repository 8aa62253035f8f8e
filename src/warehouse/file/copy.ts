import { chmodSync, constants, copyFileSync, rmSync } from 'node:fs'
import { flush } from '../../effects.ts'
import { PRIVATE } from './files.ts'

/** Copies a file until it is safely on the disk, for its owner only; leaves nothing when it fails. */
export function copySafely(from: string, to: string): void {
  try {
    copyFileSync(from, to, constants.COPYFILE_FICLONE)
    chmodSync(to, PRIVATE)
    flush(to)
  } catch (error) {
    rmSync(to, { force: true })
    throw error
  }
}
