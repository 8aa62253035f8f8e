import type { Place } from '../settings/warehouse-location.ts'
import { publishedFile } from './file/published-file.ts'
import { publishedLake } from './lake/published-lake.ts'
import type { Published } from './published.ts'

/**
 * What readers see of the warehouse at a place; one that was made already is taken as it is. Here, and nowhere else, it is asked
 * whether that is a file or a lake.
 */
export function publishedAt(place: Place | Published): Published {
  if (typeof place === 'string') return publishedFile(place)
  return 'publish' in place ? place : publishedLake(place)
}
