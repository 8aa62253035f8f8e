import { stringifyJson } from '../../contract/json.ts'
import type { Resource } from '../../resources/resource.ts'
import { at, keyOf, pathOf, type RecordRow } from './record-row.ts'

/** Validated records of one resource that will be written together. Each record is a line of JSON. */
export interface Staging {
  readonly resource: Resource
  /** Number of records, one per key. */
  readonly rows: number
  readonly bytes: number
  /** Adds records. If several have the same key, keeps the newest, or the last one if they are equally new. */
  add(records: readonly RecordRow[]): void
  keys(): Iterable<string>
  /** Returns all records as UTF-8, each after a line break. Some lines are empty. */
  text(): Uint8Array
}

interface Line {
  readonly start: number
  readonly end: number
  /** Time of the last change in Unix seconds, or 0 if unknown. */
  readonly updated: number
}

/** Initial size. A full batch of incidents has about twenty times as many. */
const FIRST_BYTES = 1_000_000

/** Maximum bytes of a UTF-16 unit in UTF-8. */
const WIDEST = 3

const LINE_END = 0x0a

/** Creates an empty staging. Lines are kept as bytes, because strings would fill the garbage-collected heap. */
export function createStaging(resource: Resource): Staging {
  const key = keyOf(resource)
  const updatedPath = resource.updated === undefined ? undefined : pathOf(resource, resource.updated)
  const lines = new Map<string, Line>()
  let buffer = Buffer.alloc(0)
  let used = 0

  function write(text: string) {
    const needed = used + text.length * WIDEST + 1
    if (needed > buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, 2 * buffer.length, needed))
      buffer.copy(larger, 0, 0, used)
      buffer = larger
    }
    used += buffer.write(text, used)
    buffer[used++] = LINE_END
  }

  return {
    resource,
    get rows() {
      return lines.size
    },
    get bytes() {
      return used
    },
    add(records) {
      for (const record of records) {
        const id = key(record)
        const updated = updatedPath ? Number(at(record, updatedPath) ?? 0) : 0
        const other = lines.get(id)
        if (other && other.updated > updated) continue
        if (other) buffer.fill(LINE_END, other.start, other.end)
        const start = used
        write(jsonText(record))
        lines.set(id, { start, end: used, updated })
      }
    },
    keys: () => lines.keys(),
    text: () => buffer.subarray(0, used),
  }
}

/** Returns JSON in which U+FFFD replaces a lone surrogate, because DuckDB rejects JavaScript's escape of a lone surrogate. */
function jsonText(value: unknown): string {
  const text = stringifyJson(value)
  if (!text.includes('\\ud')) return text
  // The pattern also matches an escaped backslash, so that the text \\ud800 stays unchanged.
  return text.replace(/\\(\\|ud[89a-f][0-9a-f]{2})/g, (text, what) => (what === '\\' ? text : '\\ufffd'))
}
