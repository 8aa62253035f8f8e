import { FaultlineError } from '../errors.ts'
import type { Resource } from '../resources/resource.ts'
import type { RunStatus } from './ledger.ts'
import type { Slice } from './slice.ts'

/** One slice of a run and what came of it: everything a run says of itself is derived from its parts. */
export interface Part {
  readonly resource: Resource
  readonly slice: Slice
  /** Null until it ended. */
  outcome: 'done' | 'unproven' | FaultlineError | null
}

/** Something of a resource that could not be read. */
export interface Failure {
  readonly resource: string
  readonly message: string
  readonly next: string | undefined
}

/** What failed. Every window of a resource usually fails for the same reason; once is enough to read. */
export function failuresOf(parts: readonly Part[]): Failure[] {
  const failures = new Map<string, Failure>()
  for (const { resource, outcome } of parts) {
    if (!(outcome instanceof FaultlineError)) continue
    const key = `${resource.table} ${outcome.next ?? outcome.message}`
    if (!failures.has(key)) {
      failures.set(key, { resource: resource.table, message: outcome.message, next: outcome.next })
    }
  }
  return [...failures.values()]
}

/** The worst of the parts. */
export function statusOf(parts: readonly Part[], quarantined: number): RunStatus {
  if (parts.some(({ outcome }) => outcome === null || outcome instanceof FaultlineError)) return 'failed'
  return quarantined > 0 || parts.some(({ outcome }) => outcome === 'unproven') ? 'partial' : 'ok'
}

/** Whether no window is missing: what was read of the others may be incomplete, but the account of time is whole. */
export function isWhole(parts: readonly Part[]): boolean {
  const windows = parts.filter(({ resource }) => resource.read.kind === 'windows')
  return windows.every(({ outcome }) => outcome === 'done' || outcome === 'unproven')
}
