import type { DuckDBConnection } from '@duckdb/node-api'
import type { Resource } from '../resources/resource.ts'
import { createChunkWriter } from './chunk-writer.ts'
import { addToFirst } from './column-buffer.ts'
import type { Records } from './page.ts'
import { createRecordPager } from './page-of-records.ts'
import { elementSources, recordSources } from './sources.ts'
import { createTextStore } from './text-store.ts'

/** Temporary table that holds a batch of a table's rows before it is merged. */
export const stageOf = (table: string) => `stage_${table}`

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
  /** Puts everything into fresh temporary tables, `stage_<table>` for the resource and for each of its children. Call it once. */
  write(connection: DuckDBConnection): Promise<void>
}

/** An empty stage. */
export function createStage(resource: Resource): Stage {
  const pageOf = createRecordPager(resource)
  const keys = new Set<string>()
  const texts = createTextStore()
  const main = createChunkWriter(recordSources(resource))
  const children = resource.children.map((child) => ({
    table: child.table,
    writer: createChunkWriter(elementSources(resource, child)),
  }))
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
      for (const table of page.children) addToFirst(table, main.rows)
      addToFirst(page.main, main.rows)
      main.add(page.main, held)
      children.forEach(({ writer }, index) => {
        writer.add(page.children[index]!, held)
      })
      page.release()
    },
    async write(connection) {
      await main.appendTo(connection, stageOf(resource.table))
      for (const { table, writer } of children) await writer.appendTo(connection, stageOf(table))
      texts.free()
    },
  }
}
