import { existsSync } from 'node:fs'
import { WarehouseError } from '../errors.ts'
import type { LastRun } from '../schedule/remembered.ts'
import { warehouseFiles } from '../warehouse/files.ts'
import { openReader } from '../warehouse/reader.ts'

const RUN = `select started_at, finished_at, if(status = 'running', 'interrupted', status) as status from sync_runs`

const LAST = `${RUN} order by run_id desc limit 1`

/** The newest run of each account, the one that was read longest ago first. */
const LAST_OF_EACH = `${RUN}
where run_id in (select max(run_id) from sync_runs where list_contains($names, account_name) group by account_name)
order by started_at`

/**
 * The newest run of a warehouse, whoever started it; null when there is none, and undefined when nobody can tell, since
 * a sync writes just now or the file cannot be read. The sync's own file is asked first: runs that failed are only there.
 * @param names of several accounts: then it is the newest run of the one that was read longest ago, since the others'
 * say nothing about that; null when one of them was never read
 */
export async function lastRun(
  warehouse: string,
  names: readonly string[] = [],
): Promise<LastRun | null | undefined> {
  const { working, published } = warehouseFiles(warehouse)
  const path = [working, published].find((file) => existsSync(file))
  if (path === undefined) return null
  try {
    const reader = await openReader(path)
    try {
      const { rows } =
        names.length === 0 ? await reader.query(LAST) : await reader.query(LAST_OF_EACH, { names })
      if (rows.length < names.length) return null
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
