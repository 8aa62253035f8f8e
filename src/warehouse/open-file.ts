import { setTimeout as sleep } from 'node:timers/promises'
import { DuckDBInstance } from '@duckdb/node-api'
import { WarehouseError } from '../errors.ts'
import type { WarehouseFiles } from './files.ts'
import { readHolder } from './holder.ts'
import { makePrivate } from './private.ts'
import { knownRemedy } from './write-error.ts'

/** Enough for batches of 10,000 incidents; more makes little difference, and memory stays flat. */
export const MEMORY_LIMIT = '256MB'

/** Write-ahead log that DuckDB may gather before it folds it in: folding in small pieces rewrites much. */
const CHECKPOINT_THRESHOLD = '256MB'

/**
 * How DuckDB is to write. A batch is one piece of work for it: a second thread takes nothing over, but looks for work
 * without rest, and makes an insert gather its rows once more. That doubles the work, beside a main thread that reads.
 */
export const WRITING = { memory_limit: MEMORY_LIMIT, preserve_insertion_order: 'false', threads: '1' }

/** `status` and `sync --plan` look into the file for some milliseconds: a sync that begins just then waits so long. */
const LOOKS_MS = 2_000
const LOOK_AGAIN_MS = 100

/**
 * Opens the working file for writing.
 * @throws WarehouseError that says what to do
 */
export async function openFile(
  files: WarehouseFiles,
  options: { readonly memoryLimit?: string },
): Promise<DuckDBInstance> {
  // Left by a process of another mask.
  for (const path of [files.working, files.log]) makePrivate(path)
  for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
    try {
      return await DuckDBInstance.create(files.working, {
        ...WRITING,
        ...(options.memoryLimit === undefined ? {} : { memory_limit: options.memoryLimit }),
        checkpoint_threshold: CHECKPOINT_THRESHOLD,
      })
    } catch (cause) {
      if (!LOCKED.test(withoutPaths(String(cause), files))) throw openError(cause, files)
      if (waitedMs >= LOOKS_MS) throw openElsewhere(cause, files)
    }
    await sleep(LOOK_AGAIN_MS)
  }
}

/** Not by a sync: the lock of those is ours already. */
function openElsewhere(cause: unknown, files: WarehouseFiles): WarehouseError {
  return new WarehouseError(`The warehouse ${files.working} is open in another program.`, {
    cause,
    next: `Close it there: that file belongs to the sync, and ${files.published} is for readers.`,
  })
}

/** Somebody else is writing: who, since when, and what to do. */
export function lockedError(files: WarehouseFiles): WarehouseError {
  const holder = readHolder(files.holder)
  const who = holder ? ` (process ${holder.pid}, since ${holder.since})` : ''
  return new WarehouseError(`Another sync is writing ${files.published}${who}.`, {
    next: 'Wait for it to end, or stop that process: its finished batches are kept.',
  })
}

/** What went wrong when the file was opened, in words that say what to do. */
export function openError(cause: unknown, files: WarehouseFiles): WarehouseError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const kind = withoutPaths(reason, files)
  if (LOCKED.test(kind)) return lockedError(files)
  if (/permission denied|read-only|cannot open file/i.test(kind)) {
    return new WarehouseError(`The warehouse ${files.working} cannot be written.`, {
      cause,
      next: 'Check that this user may write the file and its folder, and that the disk is not read-only.',
    })
  }
  return new WarehouseError(`The warehouse ${files.working} cannot be opened: ${reason}`, {
    cause,
    next:
      knownRemedy(kind) ??
      'If the file is damaged, move it away: the next sync starts from the published copy, or from the service.',
  })
}

const LOCKED = /could not set lock/i

/** The path is part of the reason and may hold any word. */
function withoutPaths(reason: string, files: WarehouseFiles): string {
  return [files.lock, files.working, files.published].reduce(
    (text, path) => text.replaceAll(path, ''),
    reason,
  )
}
