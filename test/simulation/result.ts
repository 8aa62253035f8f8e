import { FaultlineError } from '../../dist/errors.js'
import type { SyncResult } from '../../dist/sync/sync-accounts.js'
import type { Ran } from './judge.ts'

/** The outcome of a sync, without the fields of `Ran` that `simulate.ts` adds. */
export type Result = Pick<Ran, 'status' | 'published' | 'words'>

export function resultOf({ status, published, failures, quarantined }: SyncResult): Result {
  const unfit = { message: `${quarantined} records do not fit`, next: 'faultline quarantine' }
  return {
    ...{ status, published },
    words: [...failures, ...(quarantined > 0 ? [unfit] : [])],
  }
}

/** Returns an error in the words that a person sees. */
export function sentenceOf(error: unknown): Ran['words'][number] {
  if (error instanceof FaultlineError) return { message: error.message, next: error.next }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return { message: `not an error of ours: ${message}`, next: undefined }
}
