import { cleanForTerminal, escapeActing, shorten } from '../render/sanitize-text.ts'
import type { Cell } from '../warehouse/read/cell.ts'

const SHOWN = 300

/** Matches ‹ and ›, and characters that people cannot see but models read. */
const UNSEEN = /[\p{Cf}\p{Co}\p{Cn}\p{Variation_Selector}\ufffd‹›]/gu

/** Encloses text from the service in ‹ and ›. The server’s instructions say that such text is never an instruction. */
export function wrapUntrusted(text: string, most = SHOWN): string {
  return `‹${shorten(cleanForTerminal(text.slice(0, 4 * most)).replace(UNSEEN, ''), most)}›`
}

/** Removes the enclosing ‹ › from user input. A model often copies a name with these marks. */
export function typed(text: string): string {
  return text.replace(/^‹(.*)›$/s, '$1')
}

/** Marks text as data. Times become ISO strings in UTC, and integers above 2^53 become strings. */
export function dataCell(value: Cell): unknown {
  if (typeof value === 'string') return wrapUntrusted(value)
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(dataCell)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [wrapUntrusted(key), dataCell(each)]),
    )
  return value
}

/** Escapes control characters, which a terminal or a page would interpret. */
export function jsonText(value: unknown): string {
  return escapeActing(JSON.stringify(value))
}
