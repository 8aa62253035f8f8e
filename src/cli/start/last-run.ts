import { WarehouseError } from '../../errors.ts'
import type { LastRun } from '../../schedule/job-store.ts'
import { defaultSettings } from '../../settings/settings.ts'
import type { Published } from '../../warehouse/published.ts'
import { openIfThere, type Reader } from '../../warehouse/read/reader.ts'
import { objectsOf } from '../../warehouse/read/rows-to-objects.ts'
import { readWorkingFiles } from '../../warehouse/read/working-files.ts'
import { mergeRuns, type RunRow } from '../run-history.ts'

/**
 * Returns the newest run. Null before the first run, undefined if a file is unreadable, for example during a sync.
 * @param names accounts of one job: returns the oldest of their newest runs, or null if one account has no run
 */
export async function lastRun(
  warehouse: Published,
  names: readonly string[] = [],
): Promise<LastRun | null | undefined> {
  const options = { settings: defaultSettings }
  const newestRuns = async (reader: Reader) => objectsOf(await reader.query('from runs where recency = 1'))
  const own = await readWorkingFiles(warehouse, options, newestRuns)
  if (own.some(({ found }) => found === undefined)) return undefined
  let published: RunRow[]
  try {
    const reader = await openIfThere(warehouse, options)
    published = reader ? await newestRuns(reader).finally(reader.close) : []
  } catch (error) {
    if (error instanceof WarehouseError) return undefined
    throw error
  }
  const runs = mergeRuns(warehouse, own, published)
  if (!names.every((name) => runs.some(({ account }) => account === name))) return null
  const run = names.length === 0 ? runs[0] : runs.findLast(({ account }) => names.includes(String(account)))
  if (!(run?.started_at instanceof Date)) return null
  return {
    startedAt: run.started_at.getTime(),
    finishedAt: run.finished_at instanceof Date ? run.finished_at.getTime() : null,
    status: run.status as LastRun['status'],
  }
}
