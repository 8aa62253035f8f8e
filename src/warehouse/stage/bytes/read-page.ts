import { isUtf8 } from 'node:buffer'
import type { ColumnType } from '../../../resources/column.ts'
import type { Resource } from '../../../resources/resource.ts'
import { clearRows, tableBuffer } from '../column-buffer.ts'
import { emptyNotes } from '../notes.ts'
import type { Page } from '../page.ts'
import { elementSources, recordSources } from '../sources.ts'
import { readAt } from './read-at.ts'
import { createRecordsReader, type PageRoom } from './read-records.ts'
import { cursorOver, unusual, utf8 } from './scan.ts'

/** An answer whose records have been taken out. */
export interface Taken {
  readonly bulk: Page
  /** The answer's JSON with an empty list in the records' place. */
  readonly rest: string
}

/**
 * Takes the records out of the bytes of an answer, given in the parts in which it came; undefined when they have to be looked
 * at one by one, as objects.
 */
export type PageReader = (body: readonly Buffer[]) => Taken | undefined

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
  // Fresh memory for every page would have the garbage collector look at the whole heap again and again.
  const spare: Room[] = []

  return (parts) => {
    const room = spare.pop() ?? emptyRoom(resource)
    const body = joined(parts, room)
    const cursor = cursorOver(body)
    let taken: Taken | undefined
    let isHeld = true
    try {
      // DuckDB takes texts as they are, and they must be UTF-8.
      if (!isUtf8(body)) throw unusual
      readAt(cursor, path, () => {
        const start = cursor.at
        const keys = readRecords(cursor, room)
        const texts = [body, room.notes.bytes.subarray(0, room.notes.used)] as const
        const rest = `${utf8(body, 0, start)}[]${utf8(body, cursor.at, body.length)}`
        taken = { bulk: { keys, main: room.main, children: room.children, texts, release }, rest }
      })
      if (cursor.at === body.length) return taken
    } catch (error) {
      if (error !== unusual && !(error instanceof SyntaxError)) throw error
    }
    release()
    return undefined

    function release() {
      // Twice, and two pages would be read into the same memory.
      if (!isHeld) return
      isHeld = false
      for (const table of [room.main, ...room.children]) clearRows(table)
      room.notes.used = 0
      spare.push(room)
    }
  }
}

/** The memory of a page; it is used again for another one. */
interface Room extends PageRoom {
  bytes: Buffer
}

/** Rows a table has room for to begin with: those of a page. */
const ROWS = 100

function emptyRoom(resource: Resource): Room {
  const tableOf = (sources: readonly { type: ColumnType }[]) =>
    tableBuffer(
      sources.map(({ type }) => type),
      ROWS,
    )
  return {
    bytes: Buffer.alloc(0),
    notes: emptyNotes(),
    ofChildren: emptyNotes(),
    main: tableOf(recordSources(resource)),
    children: resource.children.map((child) => tableOf(elementSources(resource, child))),
  }
}

function joined(parts: readonly Buffer[], room: Room): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  if (room.bytes.length < length) room.bytes = Buffer.allocUnsafeSlow(Math.ceil(length * 1.25))
  let end = 0
  for (const part of parts) end += part.copy(room.bytes, end)
  return room.bytes.subarray(0, end)
}
