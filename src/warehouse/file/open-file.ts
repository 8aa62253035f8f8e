import { DuckDBInstance } from '../../definitions/duckdb.ts'
import { WarehouseError } from '../../errors.ts'
import { openError } from '../database-errors.ts'
import { DamagedFile, isDamage } from './damage.ts'
import { isLocked, repeatWhileLocked } from './file-lock.ts'
import type { WarehouseFiles } from './files.ts'

/** Memory limit that suffices to write batches of 10,000 incidents. A higher limit saves little time. */
export const MEMORY_LIMIT = '256MB'

/** DuckDB settings for writing. A second thread would double the CPU time without making writes faster. */
export const WRITING = {
  memory_limit: MEMORY_LIMIT,
  preserve_insertion_order: 'false',
  threads: '1',
  /** Size of the write-ahead log that causes a checkpoint. Each checkpoint rewrites much data, so it should be rare. */
  checkpoint_threshold: '256MB',
}

/**
 * Maximum time to wait until other commands release the working file. Commands such as `status` open it only briefly.
 */
const LOOKS_MS = 2_000

/** Opens an account's working file for writing. @throws WarehouseError with the next step */
export async function openFile(
  working: string,
  files: WarehouseFiles,
  options: { readonly memoryLimit?: string | undefined },
): Promise<DuckDBInstance> {
  const settings = { ...WRITING, memory_limit: options.memoryLimit ?? MEMORY_LIMIT }
  const open = () => DuckDBInstance.create(working, settings)
  return repeatWhileLocked(LOOKS_MS, open).catch((cause: unknown) => {
    if (!isLocked(cause)) throw isDamage(cause) ? new DamagedFile(working, cause) : openError(cause, working)
    // The other program cannot be a sync, because this process holds the lock of the account.
    const next = `Close it there: that file belongs to the sync, and ${files.name} is for readers.`
    throw new WarehouseError(`The warehouse ${working} is open in another program.`, { cause, next })
  })
}
