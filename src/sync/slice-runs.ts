import { FaultlineError } from '../errors.ts'
import type { Resource } from '../resources/resource.ts'
import type { RunStatus } from './ledger.ts'
import type { Proof } from './proof.ts'
import type { Slice } from './slice.ts'

/** One slice of a run and what came of it: the result of a run is derived from these. */
export interface SliceRun {
  readonly resource: Resource
  readonly slice: Slice
  /** Number of the slice in `sync_windows`. */
  readonly windowId: number
  /** Null until it ended; accepted: not proven, as a person was content with before. */
  outcome: 'done' | 'accepted' | 'unproven' | FaultlineError | null
  /** What its reading came to, when it ended. */
  proof?: Proof
  /** Of a slice that asks for what is open: what it brought. */
  open?: ReadonlySet<string>
  /** Whether it is not proven only because all windows end at exactly one full page. */
  isCut?: boolean
  /** What people should know of it although it could be read. */
  warning?: Failure
  /** The same of all slices of the resource that are not proven. */
  doubt?: Failure
}

/** Something of a resource that could not be read. */
export interface Failure {
  readonly resource: string
  readonly message: string
  readonly next: string | undefined
}

/** What failed, or needs a person. Every window of a resource usually fails for the same reason; once is enough to read. */
export function failuresOf(slices: readonly SliceRun[]): Failure[] {
  const failures = new Map<string, Failure>()
  for (const { resource, outcome, warning, doubt } of slices) {
    for (const one of [warning, doubt]) if (one) failures.set(`${resource.table} ${one.message}`, one)
    if (!(outcome instanceof FaultlineError)) continue
    const key = `${resource.table} ${outcome.next ?? outcome.message}`
    if (!failures.has(key)) {
      failures.set(key, { resource: resource.table, message: outcome.message, next: outcome.next })
    }
  }
  return [...failures.values()]
}

/** The worst of the slices. */
export function statusOf(slices: readonly SliceRun[], quarantined: number): RunStatus {
  if (slices.some(({ outcome }) => outcome === null || outcome instanceof FaultlineError)) return 'failed'
  return quarantined > 0 || slices.some(({ outcome }) => outcome === 'unproven') ? 'partial' : 'ok'
}

/** Whether every window was read; other resources may have failed. */
export function isComplete(slices: readonly SliceRun[]): boolean {
  const windows = slices.filter(({ resource }) => resource.read.kind === 'windows')
  return windows.every(({ outcome }) => outcome !== null && !(outcome instanceof FaultlineError))
}
