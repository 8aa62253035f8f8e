import { stringifyJson } from '../../contract/json.ts'
import type { Resource } from '../../resources/resource.ts'
import { at, keyOf, pathOf, type RecordRow } from './record-row.ts'

/** Validated records of one resource that wait to be written together, each as a line of JSON. */
export interface Staging {
  readonly resource: Resource
  /** Records in it, one a key. */
  readonly rows: number
  /** Size of all lines. */
  readonly bytes: number
  /** Takes records in; of several with one key it keeps the newest, and of equally new ones the later. */
  add(records: readonly RecordRow[]): void
  /** Keys of its records, each as one text. */
  keys(): Iterable<string>
  /** All records as UTF-8, each behind its line's end; some lines are empty. */
  text(): Uint8Array
}

interface Line {
  readonly start: number
  readonly end: number
  /** Time of the last change, Unix seconds; 0 where there is none. */
  readonly updated: number
}

/** Bytes to begin with; a full batch of incidents has some twenty times as many. */
const FIRST_BYTES = 1_000_000

/** A UTF-16 unit takes at most so many bytes in UTF-8. */
const WIDEST = 3

const LINE_END = 0x0a

/** An empty staging. Lines are kept as bytes: as strings they would fill the heap that is collected. */
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

/**
 * JSON that DuckDB reads. Half a surrogate pair is escaped by JavaScript, but DuckDB refuses such an escape; as in plain
 * text it becomes U+FFFD.
 */
function jsonText(value: unknown): string {
  const text = stringifyJson(value)
  if (!text.includes('\\ud')) return text
  // An escaped backslash is matched along with what follows, so that the text \\ud800 stays what it is.
  return text.replace(/\\(\\|ud[89a-f][0-9a-f]{2})/g, (text, what) => (what === '\\' ? text : '\\ufffd'))
}
