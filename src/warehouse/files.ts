import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'

/** The files of one warehouse. Only `published` is for readers; the others belong to the sync. */
export interface WarehouseFiles {
  /** What analysts, reports and other tools open: whole runs, replaced by an atomic rename. */
  readonly published: string
  /** What the sync writes, batch by batch. */
  readonly working: string
  /** DuckDB's write-ahead log of the working file. */
  readonly log: string
  /** Locked by whoever writes, from before the working file is opened until it is published. */
  readonly lock: string
  /** Who is writing, for people. */
  readonly holder: string
  /** Where the next published copy is prepared. */
  readonly next: string
  /** What runs of reports said, a line each: they cannot write to the published copy. */
  readonly reportRuns: string
}

/**
 * The files that belong to the warehouse at `link`; all lie in one folder, so that a rename is atomic. Where `link` is a
 * link, that is the folder of what it leads to: the link stays one, and the data on the disk that was chosen for it.
 */
export function warehouseFiles(link: string): WarehouseFiles {
  const path = existsSync(link) ? realpathSync(link) : resolve(link)
  return {
    published: path,
    working: `${path}.sync`,
    log: `${path}.sync.wal`,
    lock: `${path}.sync.lock`,
    holder: `${path}.sync.holder`,
    next: `${path}.next`,
    reportRuns: `${path}.report-runs.ndjson`,
  }
}
