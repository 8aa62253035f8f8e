import { isUtf8 } from 'node:buffer'
import type { Resource } from '../../resources/resource.ts'
import { clearRows, tableBuffer } from '../column-buffer.ts'
import type { Page } from '../page.ts'
import { elementSources, recordSources } from '../sources.ts'
import { readAt } from './read-at.ts'
import { createRecordsReader, type Tables } from './read-records.ts'
import { cursorOver, unusual, utf8 } from './scan.ts'

/** An answer whose records have been taken out. */
export interface Taken {
  readonly bulk: Page
  /** The answer's JSON with an empty list in the records' place. */
  readonly rest: string
}

/** Takes the records out of the bytes of an answer; undefined when they have to be looked at one by one, as objects. */
export type PageReader = (body: Buffer) => Taken | undefined

/** Room for the records of a page, to begin with. */
const ROWS = 100

/**
 * Makes a reader that puts the records of an answer into columns without making objects of them: one pass over its bytes
 * parses, validates and converts. It takes an answer only if every record fits and has none but documented fields, and
 * then gives what parsing, judging and staging would give. All else, malformed or merely rare, is left to those.
 * @returns undefined for a resource whose records it does not know how to read
 */
export function createPageReader(resource: Resource): PageReader | undefined {
  const readRecords = createRecordsReader(resource)
  if (readRecords === undefined) return undefined
  const path = ['data', ...resource.items]
  const spare: Tables[] = []

  return (body) => {
    // DuckDB takes texts as they are, and they must be UTF-8.
    if (!isUtf8(body)) return undefined
    const tables = spare.pop() ?? emptyTables(resource)
    const cursor = cursorOver(body)
    let taken: Taken | undefined
    try {
      readAt(cursor, path, () => {
        const start = cursor.at
        const { keys, notes } = readRecords(cursor, tables)
        const texts = [body, notes.bytes.subarray(0, notes.used)] as const
        const rest = `${utf8(body, 0, start)}[]${utf8(body, cursor.at, body.length)}`
        taken = { bulk: { keys, ...tables, texts, release }, rest }
      })
      if (cursor.at === body.length) return taken
    } catch (error) {
      if (error !== unusual && !(error instanceof SyntaxError)) throw error
    }
    release()
    return undefined

    function release() {
      for (const table of [tables.main, ...tables.children]) clearRows(table)
      spare.push(tables)
    }
  }
}

function emptyTables(resource: Resource): Tables {
  const tableOf = (sources: readonly { type: Parameters<typeof tableBuffer>[0][number] }[]) =>
    tableBuffer(
      sources.map(({ type }) => type),
      ROWS,
    )
  return {
    main: tableOf(recordSources(resource)),
    children: resource.children.map((child) => tableOf(elementSources(resource, child))),
  }
}
