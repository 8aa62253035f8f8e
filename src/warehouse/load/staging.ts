import { stringifyJson } from '../../contract/json.ts'
import type { Resource } from '../../resources/resource.ts'
import { at, keyOf, pathOf, type RecordRow } from './record-row.ts'

/** Records of one resource that will be written together. */
export type Staging = ReturnType<typeof createStaging>

interface Line {
  readonly start: number
  readonly end: number
  /** Time of the last change in Unix seconds, or 0 if unknown. */
  readonly updated: number
}

/** Initial size of the buffer in bytes. A full batch of incidents needs about twenty times as much. */
const FIRST_BYTES = 1_000_000

/** Maximum number of UTF-8 bytes per character of a JavaScript string. */
const WIDEST = 3

const LINE_END = 0x0a

/** Stores a batch as bytes in a buffer, because strings would fill JavaScript's heap. */
export function createStaging(resource: Resource) {
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
    /** Number of records with different keys. */
    get rows() {
      return lines.size
    },
    get bytes() {
      return used
    },
    /** Keeps one record per key: the one that changed last, or if that is unknown, the one that was added last. */
    add(records: readonly RecordRow[]): void {
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
    /** Returns one JSON text per line, as UTF-8. Some lines are empty. */
    text: () => buffer.subarray(0, used),
  }
}

/** Replaces each lone surrogate with U+FFFD, because DuckDB rejects JSON with a lone surrogate. */
function jsonText(value: unknown): string {
  const text = stringifyJson(value)
  if (!text.includes('\\ud')) return text
  // Also matches escaped backslashes, so that `\\ud800` (a backslash and the text ud800) stays unchanged.
  return text.replace(/\\(\\|ud[89a-f][0-9a-f]{2})/g, (text, what) => (what === '\\' ? text : '\\ufffd'))
}
