import { existsSync } from 'node:fs'
import { WarehouseError } from '../errors.ts'
import type { LastRun } from '../schedule/remembered.ts'
import { warehouseFiles } from '../warehouse/files.ts'
import { openReader } from '../warehouse/reader.ts'

const LAST = `
select started_at, finished_at, if(status = 'running', 'interrupted', status) as status
from sync_runs order by run_id desc limit 1`

/**
 * The newest run of a warehouse, whoever started it; null when there is none, and undefined when nobody can tell, since
 * a sync writes just now or the file cannot be read. The sync's own file is asked first: runs that failed are only there.
 */
export async function lastRun(warehouse: string): Promise<LastRun | null | undefined> {
  const { working, published } = warehouseFiles(warehouse)
  const path = [working, published].find((file) => existsSync(file))
  if (path === undefined) return null
  try {
    const reader = await openReader(path)
    try {
      const { rows } = await reader.query(LAST)
      const [startedAt, finishedAt, status] = rows[0] ?? []
      if (!(startedAt instanceof Date)) return null
      return {
        startedAt: startedAt.getTime(),
        finishedAt: finishedAt instanceof Date ? finishedAt.getTime() : null,
        status: status as LastRun['status'],
      }
    } finally {
      reader.close()
    }
  } catch (error) {
    if (error instanceof WarehouseError) return undefined
    throw error
  }
}
