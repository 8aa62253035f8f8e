import type { Settings } from '../../settings/settings.ts'
import type { PlainLocation } from '../../settings/warehouse-location.ts'
import type { Reach } from '../read/reach.ts'
import type { Piece } from '../read/rows.ts'

export interface Task {
  readonly place: PlainLocation
  readonly settings: Settings
  readonly memoryLimit: string
  /** The snapshot of a lake to read (default: the newest). */
  readonly at?: bigint | Date | undefined
  readonly sql: string
  /** The relations and columns that the statement can read. If undefined, the statement can read everything. */
  readonly reach?: Reach | undefined
}

/** Runs a task, requests the next rows, or stops because no more rows are needed. */
export type Order = { readonly run: Task } | 'more' | 'enough'

export type Report =
  | { readonly notice: string | undefined }
  | { readonly piece: Piece }
  | { readonly memory: number }
  | { readonly failed: Failure }
  | 'done'

export interface Failure {
  readonly message: string
  readonly next: string | undefined
  readonly exitCode: number
}
