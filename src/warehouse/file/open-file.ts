import { setTimeout as sleep } from 'node:timers/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { DuckDBInstance } from '../../definitions/duckdb.ts'
import { WarehouseError } from '../../errors.ts'
import { openError } from '../database-errors.ts'
import { DamagedFile, isDamage } from './damage.ts'
import { isLocked } from './file-lock.ts'
import type { WarehouseFiles } from './files.ts'

/**
 * Memory limit for writing. It is enough for batches of 10,000 incidents, and a higher limit makes little difference.
 */
export const MEMORY_LIMIT = '256MB'

/** Size of the write-ahead log at which DuckDB makes a checkpoint. Frequent small checkpoints rewrite much data. */
const CHECKPOINT_THRESHOLD = '256MB'

/** Settings for writing. A second thread would double the CPU time without making writes faster. */
export const WRITING = {
  memory_limit: MEMORY_LIMIT,
  preserve_insertion_order: 'false',
  threads: '1',
  checkpoint_threshold: CHECKPOINT_THRESHOLD,
}

/** `status` and `sync --plan` open the file for a moment. A sync that starts at that moment waits up to this time. */
const LOOKS_MS = 2_000
const LOOK_AGAIN_MS = 100

/** Opens the working file of an account for writing. @throws WarehouseError with the next step */
export async function openFile(
  working: string,
  files: WarehouseFiles,
  options: { readonly memoryLimit?: string | undefined },
): Promise<DuckDBInstance> {
  for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
    try {
      return await DuckDBInstance.create(working, {
        ...WRITING,
        memory_limit: options.memoryLimit ?? MEMORY_LIMIT,
      })
    } catch (cause) {
      if (!isLocked(cause))
        throw isDamage(cause) ? new DamagedFile(working, cause) : openError(cause, working)
      // The other process is not a sync, because this process holds the lock of the account.
      if (waitedMs >= LOOKS_MS) {
        throw new WarehouseError(`The warehouse ${working} is open in another program.`, {
          cause,
          next: `Close it there: that file belongs to the sync, and ${files.name} is for readers.`,
        })
      }
    }
    await sleep(LOOK_AGAIN_MS)
  }
}

/** Runs `act` on the database at `path`, in UTC, and closes it. */
export async function onDatabase<Result>(
  path: string,
  options: Record<string, string>,
  act: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  const instance = await DuckDBInstance.create(path, options)
  return onInstance(instance, act, () => instance.closeSync())
}

/** Runs `act` on an open database, in UTC, and closes it. */
export async function onInstance<Result>(
  instance: DuckDBInstance,
  act: (connection: DuckDBConnection) => Promise<Result>,
  close: () => void,
): Promise<Result> {
  const connection = await instance.connect()
  try {
    await connection.run(`set TimeZone = 'UTC'`)
    return await act(connection)
  } finally {
    connection.closeSync()
    close()
  }
}
