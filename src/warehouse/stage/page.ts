import type { RecordRow } from '../record.ts'
import type { TableBuffer } from './column-buffer.ts'

/** Records of one answer in the form that DuckDB has them in memory, so that they go into its chunks as blocks. */
export interface Page {
  /** The key of each record, as one text. */
  readonly keys: readonly string[]
  /** The columns of `recordSources`. */
  readonly main: TableBuffer
  /** For each child of the resource, the columns of `elementSources`. */
  readonly children: readonly TableBuffer[]
  /** What the positions of texts point into, one after another. */
  readonly texts: readonly [Uint8Array, Uint8Array]
  /** Call it once nothing of the page is needed any more: its memory is used again. */
  release(): void
}

/** Records as they were read: as objects, or straight from the bytes of an answer. */
export type Records = readonly RecordRow[] | Page
