import type { WarehouseLocation } from '../settings/warehouse-location.ts'
import { publishedFile } from '../warehouse/file/published-file.ts'
import type { Published } from '../warehouse/published.ts'

/** Returns the published warehouse. Only this function distinguishes a file from a lake. It loads the code for lakes on use. */
export async function resolveStorage(location: WarehouseLocation): Promise<Published> {
  if (typeof location === 'string') return publishedFile(location)
  const { publishedLake } = await import('../lake/published-lake.ts')
  return publishedLake(location)
}
