import type { WarehouseLocation } from '../settings/warehouse-location.ts'
import { publishedFile } from '../warehouse/file/published-file.ts'
import type { Published } from '../warehouse/published.ts'

/** Returns the published warehouse. Loads the code for lakes only if the warehouse is a lake. */
export async function resolveStorage(location: WarehouseLocation): Promise<Published> {
  if (typeof location === 'string') return publishedFile(location)
  const { publishedLake } = await import('../lake/published-lake.ts')
  return publishedLake(location)
}
