import { join } from 'node:path'
import type { Lake } from '../settings/lake.ts'
import { filesIn, type WarehouseFiles } from '../warehouse/file/files.ts'

/** Returns the files of this machine's syncs for a lake. */
export function lakeFiles(lake: Lake): WarehouseFiles {
  return {
    name: String(lake),
    reportRuns: join(lake.work, 'report-runs.ndjson'),
    ...filesIn(lake.work),
  }
}
