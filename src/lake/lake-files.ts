import { join } from 'node:path'
import type { Lake } from '../settings/lake.ts'
import { filesIn, type WarehouseFiles } from '../warehouse/file/files.ts'

export function lakeFiles(lake: Lake): WarehouseFiles {
  const reportRuns = join(lake.work, 'report-runs.ndjson')
  return { name: String(lake), reportRuns, ...filesIn(lake.work) }
}
