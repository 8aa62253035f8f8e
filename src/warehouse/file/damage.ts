import { WarehouseError } from '../../errors.ts'
import { firstLineOf, isCorruption } from '../../external-errors.ts'

/** The content of a warehouse file differs from what was written. `repair-file.ts` repairs the file. */
export class DamagedFile extends WarehouseError {
  readonly file: string

  constructor(file: string, cause: unknown) {
    super(`${file} is damaged: ${firstLineOf(cause)}`, {
      cause,
      next: 'The next `faultline sync` repairs it. To return to the previous published copy or to a backup, run `faultline restore`.',
    })
    this.file = file
  }
}

/** Whether an error means that a file is damaged. False for a problem with the disk or a lock. */
export function isDamage(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (one instanceof DamagedFile) return true
    const damage = isCorruption(one)
    if (damage !== undefined) return damage
  }
  return false
}
