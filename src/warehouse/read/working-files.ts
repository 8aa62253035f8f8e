import { WarehouseError } from '../../errors.ts'
import { isLocked } from '../file/file-lock.ts'
import { accountFiles, workingAccounts } from '../file/files.ts'
import { publishedFile } from '../file/published-file.ts'
import type { Published } from '../published.ts'
import { openReader, type Reader, type ReaderOptions } from './reader.ts'

interface Unpublished<Found> {
  readonly accountId: bigint
  /** Undefined if the file could not be read. */
  readonly found: Found | undefined
  readonly problem?: WarehouseError
}

/** Runs `look` on the working file of every account. These files also contain data that is not published yet. */
export async function readWorkingFiles<Found>(
  { files }: Published,
  options: ReaderOptions,
  look: (reader: Reader) => Promise<Found>,
): Promise<Unpublished<Found>[]> {
  const all: Unpublished<Found>[] = []
  for (const accountId of workingAccounts(files)) {
    try {
      const working = publishedFile(accountFiles(files, accountId).working)
      const reader = await openReader(working, { ...options, isWorking: true })
      all.push({ accountId, found: await look(reader).finally(reader.close) })
    } catch (error) {
      if (!(error instanceof WarehouseError)) throw error
      all.push({ accountId, found: undefined, problem: error })
    }
  }
  return all
}

/** Returns a sentence for each file that could not be read. The sentences have no period at the end. */
export function whyUnread(all: readonly Unpublished<unknown>[]): string[] {
  return all.flatMap(({ accountId, problem }) => {
    if (problem === undefined) return []
    const why = isLocked(problem.cause)
      ? 'is in use'
      : `cannot be read (${problem.message.replace(/\.$/, '')})`
    return [`Account ${accountId} ${why}`]
  })
}
