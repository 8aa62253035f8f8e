import type { Place } from '../../config/lake.ts'
import { WarehouseError } from '../../errors.ts'
import { accountFiles, warehouseFiles, workingAccounts } from '../file/files.ts'
import { openReader, type Reader, type ReaderOptions } from './reader.ts'

/** What an account's own file says; undefined where it cannot be read just now, since a sync writes it. */
interface Unpublished<Found> {
  readonly accountId: bigint
  readonly found: Found | undefined
}

/**
 * Looks into the working file of every account: there is also what was not published.
 * @param place of what readers see
 */
export async function readWorkingFiles<Found>(
  place: Place,
  options: ReaderOptions,
  look: (reader: Reader) => Promise<Found>,
): Promise<Unpublished<Found>[]> {
  const files = warehouseFiles(place)
  const all: Unpublished<Found>[] = []
  for (const accountId of workingAccounts(files)) {
    let found: Found | undefined
    try {
      const reader = await openReader(accountFiles(files, accountId).working, options)
      try {
        found = await look(reader)
      } finally {
        reader.close()
      }
    } catch (error) {
      if (!(error instanceof WarehouseError)) throw error
    }
    all.push({ accountId, found })
  }
  return all
}
