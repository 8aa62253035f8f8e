import { WarehouseError } from '../../errors.ts'
import type { LastRun } from '../../schedule/job-store.ts'
import { defaultSettings } from '../../settings/settings.ts'
import type { Published } from '../../warehouse/published.ts'
import type { Cell } from '../../warehouse/read/cell.ts'
import { openIfThere, type Reader } from '../../warehouse/read/reader.ts'
import { objectsOf } from '../../warehouse/read/rows-to-objects.ts'
import { readWorkingFiles } from '../../warehouse/read/working-files.ts'
import { judgedRuns, type RunRow } from '../run-history.ts'

/**
 * Returns the newest run of a warehouse, whether manual or scheduled. Null before the first run. Undefined if a sync is
 * writing or a file is unreadable. Reads working files first, because only they contain failed runs.
 * @param names accounts of one job. If given, the result is the newest run of the least recently synced account, or
 * null if any of them was never synced
 */
export async function lastRun(
  warehouse: Published,
  names: readonly string[] = [],
): Promise<LastRun | null | undefined> {
  const options = { settings: defaultSettings }
  const newestRuns = async (reader: Reader) => objectsOf(await reader.query('from runs where recency = 1'))
  const own = await readWorkingFiles(warehouse, options, newestRuns)
  if (own.some(({ found }) => found === undefined)) return undefined
  const read = new Set<Cell | undefined>(own.map(({ accountId }) => accountId))
  let published: RunRow[]
  try {
    const reader = await openIfThere(warehouse, options)
    published = reader ? await newestRuns(reader).finally(reader.close) : []
  } catch (error) {
    if (error instanceof WarehouseError) return undefined
    throw error
  }
  const runs = [
    ...judgedRuns(
      warehouse,
      own.flatMap(({ found }) => found!),
      published,
    ),
    ...published.filter(({ account_id }) => !read.has(account_id)),
  ]
  runs.sort((a, b) => Number(b.started_at) - Number(a.started_at))
  if (!names.every((name) => runs.some(({ account }) => account === name))) return null
  const run = names.length === 0 ? runs[0] : runs.findLast(({ account }) => names.includes(String(account)))
  if (!(run?.started_at instanceof Date)) return null
  return {
    startedAt: run.started_at.getTime(),
    finishedAt: run.finished_at instanceof Date ? run.finished_at.getTime() : null,
    status: run.status as LastRun['status'],
  }
}
