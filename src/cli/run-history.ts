import { isAlive } from '../effects.ts'
import type { Published } from '../warehouse/published.ts'
import type { Cell } from '../warehouse/read/cell.ts'
import { readProgress } from './sync/progress-file.ts'

/** A row of the view `runs`. */
export type RunRow = Record<string, Cell>

/** Marks a complete run as failed if its data was not published, unless a sync can still publish it. */
export function judgedRuns(
  warehouse: Published,
  own: readonly RunRow[],
  published: readonly RunRow[],
): RunRow[] {
  const under = readProgress(warehouse)
  if (under !== undefined && isAlive(under.pid)) return [...own]
  const known = new Map<Cell | undefined, number>()
  for (const { account_id, run_id } of published)
    known.set(account_id, Math.max(Number(run_id), known.get(account_id) ?? 0))
  return own.map((run) => {
    const isTold = run.as_of_at === null || Number(run.run_id) <= (known.get(run.account_id) ?? 0)
    return isTold ? run : { ...run, status: 'failed', message: run.message ?? NOT_PUBLISHED }
  })
}

const NOT_PUBLISHED = 'its data is stored but was not published, so readers see the previous run. Sync again.'
