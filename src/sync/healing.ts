import { DamagedFile } from '../warehouse/file/damage.ts'
import type { Published } from '../warehouse/published.ts'

/** A damaged file is put aside, then its log or its replacement may be damaged too; more is no chance. */
const MOST_HEALED = 3

/**
 * Does `act`; where a file turns out to be damaged, puts something good in its place and does it once more.
 * @param onHealed told in a sentence what was damaged, and what was done about it
 */
export async function healing<Result>(
  published: Published,
  act: () => Promise<Result>,
  onHealed: (notice: string) => void,
): Promise<Result> {
  for (let healed = 0; ; healed++) {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof DamagedFile) || healed === MOST_HEALED) throw error
      onHealed(await published.heal(error))
    }
  }
}
