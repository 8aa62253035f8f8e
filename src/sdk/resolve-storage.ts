import type { WarehouseLocation } from '../settings/warehouse-location.ts'
import { publishedFile } from '../warehouse/file/published-file.ts'
import type { Published } from '../warehouse/published.ts'

/**
 * What readers see of the warehouse at a location. Here, and nowhere else, it is asked whether that is a file or a lake; what a lake
 * needs is loaded only for one.
 */
export async function resolveStorage(location: WarehouseLocation): Promise<Published> {
  if (typeof location === 'string') return publishedFile(location)
  const { publishedLake } = await import('../lake/published-lake.ts')
  return publishedLake(location)
}
