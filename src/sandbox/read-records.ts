import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { z } from 'zod'
import { parseJson } from '../contract/json.ts'
import { ConfigError } from '../errors.ts'

/** A record and what it came as, in UTF-8. */
export interface Imported<T> {
  readonly record: T
  readonly bytes: Buffer
}

/**
 * Reads `name.ndjson` or `name.ndjson.gz`, or gives undefined when there is neither.
 * @throws ConfigError naming the file and the line that does not fit
 */
export function readRecords<Schema extends z.ZodType>(
  directory: string,
  name: string,
  schema: Schema,
): Imported<z.output<Schema>>[] | undefined {
  const path = [`${name}.ndjson`, `${name}.ndjson.gz`]
    .map((file) => join(directory, file))
    .find((file) => existsSync(file))
  if (path === undefined) return undefined
  const bytes = readFileSync(path)
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  const rows: Imported<z.output<Schema>>[] = []
  for (const [k, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    try {
      // As bytes, so that nothing holds the text of the whole file, and sending them costs no encoding.
      rows.push({ record: schema.parse(parseJson(line)), bytes: Buffer.from(line.trim()) })
    } catch (cause) {
      throw new ConfigError(`${path}:${k + 1} is not a record of this kind`, {
        cause,
        next: 'Correct the line, or leave the file out.',
      })
    }
  }
  return rows
}
