import type { DuckDBConnection } from '@duckdb/node-api'
import type { Resource } from '../../resources/resource.ts'
import { createChunks } from './chunks.ts'
import { addToFirst } from './column-buffer.ts'
import type { Records } from './page.ts'
import { createRecordPager } from './page-of-records.ts'
import { elementSources, recordSources } from './sources.ts'
import { showStages } from './stage-functions.ts'
import { createTextStore } from './text-store.ts'

/** A batch of one resource's records, gathered outside of the database. */
export interface Stage {
  readonly resource: Resource
  readonly rows: number
  /** Whether a key came more than once: windows share their boundary second, and pages can repeat a row. */
  readonly hasRepeats: boolean
  /** Keys of its records, each as one text. */
  readonly keys: ReadonlySet<string>
  /** Takes records in and releases their page. */
  add(records: Records): void
  /** Lets queries see everything in `stageOf` the resource's table and of each child's, until the next stage is shown. */
  show(connection: DuckDBConnection): void
  /** Forgets everything. */
  release(): void
}

/** An empty stage. */
export function createStage(resource: Resource): Stage {
  const pageOf = createRecordPager(resource)
  const keys = new Set<string>()
  const texts = createTextStore()
  const main = createChunks(recordSources(resource))
  const children = resource.children.map((child) => createChunks(elementSources(resource, child)))
  const tables = new Map([
    [resource.table, main],
    ...resource.children.map((child, index) => [child.table, children[index]!] as const),
  ])
  return {
    resource,
    keys,
    get rows() {
      return main.rows
    },
    get hasRepeats() {
      return keys.size < main.rows
    },
    add(records) {
      const page = 'main' in records ? records : pageOf(records)
      const held = texts.hold(page.texts)
      for (const key of page.keys) keys.add(key)
      // Rows are numbered within their page; the first column of each table has the number.
      for (const table of [...page.children, page.main]) addToFirst(table, main.rows)
      main.add(page.main, held)
      children.forEach((child, index) => {
        child.add(page.children[index]!, held)
      })
      page.release()
    },
    show(connection) {
      showStages(connection, tables)
    },
    release() {
      for (const table of tables.values()) table.clear()
      texts.free()
    },
  }
}
