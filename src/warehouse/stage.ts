import type { DuckDBConnection } from '@duckdb/node-api'
import type { Resource } from '../resources/resource.ts'
import { createChunkWriter } from './chunk-writer.ts'
import { keyOf, type RecordRow } from './record.ts'
import { elementSources, elementsOf, recordSources } from './sources.ts'

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
  add(records: readonly RecordRow[]): void
  /** Puts everything into fresh temporary tables, `stage_<table>` for the resource and for each of its children. */
  write(connection: DuckDBConnection): Promise<void>
}

/** An empty stage. */
export function createStage(resource: Resource): Stage {
  const key = keyOf(resource)
  const keys = new Set<string>()
  const main = createChunkWriter(recordSources(resource))
  const children = resource.children.map((child) => ({
    child,
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
      for (const record of records) keys.add(key(record))
      const numbered = records.map((record, index) => ({ number: main.rows + index, record }))
      main.add(numbered)
      for (const { child, writer } of children) writer.add(elementsOf(numbered, child))
    },
    async write(connection) {
      await main.appendTo(connection, stageOf(resource.table))
      for (const { child, writer } of children) await writer.appendTo(connection, stageOf(child.table))
    },
  }
}
