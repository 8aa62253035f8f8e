import type { WarehouseLocation } from '../settings/warehouse-location.ts'
import { publishedFile } from '../warehouse/file/published-file.ts'
import type { Published } from '../warehouse/published.ts'

/** Returns the published warehouse. Only this function checks whether it is a file or a lake, and loads lake code on use. */
export async function resolveStorage(location: WarehouseLocation): Promise<Published> {
  if (typeof location === 'string') return publishedFile(location)
  const { publishedLake } = await import('../lake/published-lake.ts')
  return publishedLake(location)
}
