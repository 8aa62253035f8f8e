import type { Settings } from '../../settings/settings.ts'
import type { PlainLocation } from '../../settings/warehouse-location.ts'
import type { Reach } from '../read/reach.ts'
import type { Piece } from '../read/rows.ts'

export interface Task {
  readonly place: PlainLocation
  readonly settings: Settings
  readonly memoryLimit: string
  /** The snapshot to read, if the warehouse is a lake. */
  readonly at?: bigint | Date | undefined
  readonly sql: string
  /** The relations and columns that an assistant can read. Undefined for a person, who can read everything. */
  readonly reach?: Reach | undefined
}

/** An order to the worker: a task, a request for the next rows, or a notice that no more rows are needed. */
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
