import { isAlive } from '../effects.ts'
import type { Published } from '../warehouse/published.ts'
import type { Cell } from '../warehouse/read/cell.ts'
import { readProgress } from './sync/progress-file.ts'

/** A row of the view `runs`. */
export type RunRow = Record<string, Cell>

interface WorkingRuns {
  readonly accountId: bigint
  /** Runs in the account's working file. Undefined if the file could not be read. */
  readonly found: readonly RunRow[] | undefined
}

/**
 * Prefers the runs in working files, because only working files include failed runs.
 * @param published runs in the published copy, used for accounts without a readable working file
 */
export function mergeRuns(
  warehouse: Published,
  working: readonly WorkingRuns[],
  published: readonly RunRow[],
): RunRow[] {
  const read = new Set<Cell | undefined>(
    working.flatMap(({ accountId, found }) => (found ? [accountId] : [])),
  )
  const own = working.flatMap(({ found }) => found ?? [])
  return [
    ...judged(warehouse, own, published),
    ...published.filter(({ account_id }) => !read.has(account_id)),
  ].sort((a, b) => Number(b.started_at) - Number(a.started_at))
}

/** Marks unpublished runs as failed, but not during a sync, which can still publish them. */
function judged(
  warehouse: Published,
  own: readonly RunRow[],
  published: readonly RunRow[],
): readonly RunRow[] {
  const under = readProgress(warehouse)
  if (under !== undefined && isAlive(under.pid)) return own
  const known = new Map<Cell | undefined, number>()
  for (const { account_id, run_id } of published)
    known.set(account_id, Math.max(Number(run_id), known.get(account_id) ?? 0))
  return own.map((run) => {
    const isPublished = run.as_of_at === null || Number(run.run_id) <= (known.get(run.account_id) ?? 0)
    return isPublished ? run : { ...run, status: 'failed', message: run.message ?? NOT_PUBLISHED }
  })
}

const NOT_PUBLISHED = 'its data is stored but was not published, so readers see the previous run. Sync again.'
