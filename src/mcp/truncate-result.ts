import { WarehouseError } from '../errors.ts'
import type { Answer } from './tool.ts'
import { jsonText } from './untrusted-text.ts'

/** Maximum size of an answer. A model reads all of it. */
const BYTES_MOST = 60_000

/**
 * Serializes an answer. If the answer is too large, omits its last rows and says so.
 * @throws WarehouseError if the answer is too large even with one row
 */
export function boundedText(answer: Answer): string {
  const whole = jsonText(answer)
  if (Buffer.byteLength(whole) <= BYTES_MOST) return whole
  const { rows = [], ...rest } = answer
  for (let left = Math.floor(rows.length / 2); left > 0; left = Math.floor(left / 2)) {
    const text = jsonText({
      ...rest,
      rows: rows.slice(0, left),
      more: `Only the first ${left} rows. All rows would exceed ${BYTES_MOST / 1_000} KB.`,
    })
    if (Buffer.byteLength(text) <= BYTES_MOST) return text
  }
  throw new WarehouseError(`The answer would exceed ${BYTES_MOST / 1_000} KB.`, {
    next: 'Ask for fewer columns or rows.',
  })
}
